//! One memory of a coding agent: typed YAML frontmatter, a closed set of four types, guidance text, lint and write gate.
