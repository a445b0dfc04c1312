//! Says how old an agent's memory is, in words, instead of deleting it.
