//! From the words of a reference to a path, and which files may be imported at all.

use std::path::{Component, Path, PathBuf};

use crate::paths::clean;
use crate::roots::Platform;

/// The path that a reference means, made absolute and free of `.` and `..`: relative to `base`,
/// below `home` after `~/`, or as it is. `None` if it can be no path of a file: a URL, a name in
/// the namespace of the NT kernel, a network share, control characters, or `~/` without a home.
/// The disk is not looked at.
///
/// ```
/// use std::path::Path;
/// use claudemd::{Platform, locate};
///
/// let found = locate("../b.md", Path::new("/p/docs"), None, Platform::Linux);
/// assert_eq!(found.as_deref(), Some(Path::new("/p/b.md")));
/// assert_eq!(locate("https://host/b.md", Path::new("/p"), None, Platform::Linux), None);
/// ```
pub fn locate(
    reference: &str,
    base: &Path,
    home: Option<&Path>,
    platform: Platform,
) -> Option<PathBuf> {
    let scheme = reference.split_once(':').map(|(scheme, _)| scheme);
    let is_url =
        reference.contains("://") || scheme.is_some_and(|s| s.eq_ignore_ascii_case("file"));
    if reference.is_empty() || is_url || reference.chars().any(char::is_control) {
        return None;
    }
    // Such names reach devices, or send the person's credentials to a foreign host.
    let slashes = reference.replace('\\', "/");
    let kernel = ["//?/", "//./", "/??/"];
    if kernel.iter().any(|prefix| slashes.starts_with(prefix)) || reference.starts_with(r"\\") {
        return None;
    }
    if platform == Platform::Windows && slashes.starts_with("//") {
        return None;
    }
    let tilde = reference.strip_prefix("~/").or(match platform {
        Platform::Windows => reference.strip_prefix(r"~\"),
        Platform::Linux | Platform::MacOs => None,
    });
    Some(match tilde {
        // A second slash would begin again at the root.
        Some(rest) => clean(&home?.join(rest.trim_start_matches(['/', '\\']))),
        None => clean(&base.join(reference)),
    })
}

/// Whether a path leads into git's own files.
pub(crate) fn is_git_metadata(path: &Path) -> bool {
    path.components().any(|part| match part {
        Component::Normal(name) => name.eq_ignore_ascii_case(".git"),
        _ => false,
    })
}

/// Whether a file may be imported by its name: no extension, or one of a text file.
pub(crate) fn is_text(path: &Path) -> bool {
    let Some(extension) = path.extension().filter(|e| !e.is_empty()) else {
        return true;
    };
    let extension = extension.to_string_lossy().to_ascii_lowercase();
    TEXT_EXTENSIONS.binary_search(&extension.as_str()).is_ok()
}

/// Extensions of text files, sorted. Binary formats stand in none of them, and neither do text
/// formats that the client leaves out (`ipynb`, `jsonl`, `mdx`, `svg`, `tf` …): a file must not
/// load here and not there.
const TEXT_EXTENSIONS: &[&str] = &[
    "adoc",
    "applescript",
    "asciidoc",
    "asm",
    "astro",
    "avsc",
    "awk",
    "babelrc",
    "bash",
    "bat",
    "bazel",
    "bzl",
    "c",
    "cc",
    "cfg",
    "cjs",
    "clj",
    "cljc",
    "cljs",
    "cmake",
    "cmd",
    "coffee",
    "conf",
    "config",
    "cpp",
    "cs",
    "css",
    "csv",
    "cts",
    "cu",
    "cuh",
    "cxx",
    "d",
    "dart",
    "diff",
    "dockerfile",
    "dockerignore",
    "dtd",
    "editorconfig",
    "edn",
    "ejs",
    "el",
    "elm",
    "env",
    "erb",
    "erl",
    "eslintrc",
    "ex",
    "exs",
    "fish",
    "frag",
    "fs",
    "fsi",
    "fsx",
    "gemspec",
    "gitattributes",
    "gitignore",
    "glsl",
    "go",
    "gql",
    "gradle",
    "graphql",
    "groovy",
    "h",
    "haml",
    "handlebars",
    "hbs",
    "hh",
    "hlsl",
    "hpp",
    "hrl",
    "hs",
    "htm",
    "html",
    "http",
    "hxx",
    "ini",
    "j2",
    "jade",
    "java",
    "jinja",
    "jinja2",
    "jl",
    "js",
    "json",
    "jsx",
    "kt",
    "kts",
    "less",
    "lhs",
    "liquid",
    "lisp",
    "lock",
    "log",
    "lua",
    "mak",
    "make",
    "md",
    "mjs",
    "mk",
    "ml",
    "mli",
    "mts",
    "mustache",
    "njk",
    "npmrc",
    "nvmrc",
    "org",
    "pas",
    "patch",
    "php",
    "phtml",
    "pl",
    "plist",
    "pm",
    "po",
    "pot",
    "prettierrc",
    "prisma",
    "properties",
    "proto",
    "ps1",
    "psd1",
    "psm1",
    "pug",
    "py",
    "pyi",
    "pyw",
    "pyx",
    "r",
    "rake",
    "rb",
    "rest",
    "rkt",
    "rs",
    "rst",
    "sass",
    "scala",
    "scm",
    "scss",
    "sed",
    "sh",
    "slim",
    "sol",
    "sql",
    "srt",
    "styl",
    "sv",
    "svelte",
    "swift",
    "tcl",
    "template",
    "tex",
    "text",
    "thrift",
    "tmpl",
    "toml",
    "tpl",
    "ts",
    "tsx",
    "txt",
    "vb",
    "vbs",
    "vert",
    "vhd",
    "vhdl",
    "vim",
    "vtt",
    "vue",
    "wgsl",
    "xhtml",
    "xml",
    "xsd",
    "xsl",
    "xslt",
    "yaml",
    "yml",
    "zsh",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_sorted_and_unique() {
        assert!(TEXT_EXTENSIONS.is_sorted_by(|a, b| a < b));
    }

    #[track_caller]
    fn check(reference: &str, platform: Platform, expected: Option<&str>) {
        let found = locate(
            reference,
            Path::new("/r/d"),
            Some(Path::new("/h")),
            platform,
        );
        assert_eq!(found.as_deref(), expected.map(Path::new), "{reference}");
    }

    #[test]
    fn references_become_paths() {
        check("a.md", Platform::Linux, Some("/r/d/a.md"));
        check("./a.md", Platform::Linux, Some("/r/d/a.md"));
        check("../../../../a.md", Platform::Linux, Some("/a.md"));
        check("~/a.md", Platform::Linux, Some("/h/a.md"));
        check("~//a.md", Platform::Linux, Some("/h/a.md"));
        check("/a.md", Platform::Linux, Some("/a.md"));
        check("//a.md", Platform::Linux, Some("/a.md"));
        check("c:a.md", Platform::Linux, Some("/r/d/c:a.md"));
    }

    #[test]
    fn urls_kernel_names_and_shares_are_no_paths() {
        for platform in [Platform::Linux, Platform::MacOs, Platform::Windows] {
            check("https://h/a.md", platform, None);
            check("file:///a.md", platform, None);
            check(r"\\?\C:\a.md", platform, None);
            check(r"\??\C:\a.md", platform, None);
            check("/??/C:/a.md", platform, None);
            check("//?/C:/a.md", platform, None);
            check(r"\\host\share\a.md", platform, None);
            check("a\u{0}b.md", platform, None);
        }
        check("//host/share/a.md", Platform::Windows, None);
    }

    #[test]
    fn git_metadata_is_known_anywhere_in_a_path() {
        assert!(is_git_metadata(Path::new("/r/.git/config")));
        assert!(is_git_metadata(Path::new("/r/s/.GIT")));
        assert!(!is_git_metadata(Path::new("/r/.gitignore")));
        assert!(!is_git_metadata(Path::new("/r/x.git/a.md")));
    }
}
