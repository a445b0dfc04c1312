//! Keeps MEMORY.md, the index of an agent's memories, inside its limits and without losing a concurrent write, and assembles the memory prompt.
