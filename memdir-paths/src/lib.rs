//! Finds where an agent's memory for a project lives on disk: canonical git root, overrides, switches and path safety.
