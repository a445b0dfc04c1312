//! What is removed before the index is measured.

use std::borrow::Cow;

use memdir_index::strip;

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(strip(text.as_bytes()), expected, "{text:?}");
}

#[test]
fn blank_texts_become_nothing() {
    check("", "");
    check(" \n\n\t\n", "");
    check("<!-- only -->\n", "");
    check("---\na: b\n---\n", "");
    check("\u{feff}\n", "");
}

#[test]
fn both_ends_are_trimmed_and_the_middle_is_not() {
    check("\n\n\nX1\n\nL2\n\n", "X1\n\nL2");
    check("A\rB\rC\r", "A\rB\rC");
    check("A\0B\n", "A\0B");
    check("\u{85}A\u{85}", "\u{85}A\u{85}");
    check("A\u{feff}", "A");
    check("\u{3000}A\u{a0}", "A");
}

#[test]
fn invalid_utf8_is_replaced_and_the_byte_order_mark_dropped() {
    assert_eq!(strip(b"\xff\xfeA\0B\0\n\0"), "\u{fffd}\u{fffd}A\0B\0\n\0");
    assert_eq!(strip(b"\xef\xbb\xbfA"), "A");
}

#[test]
fn leading_frontmatter_is_removed() {
    check("---\na: b\n---\nA\n", "A");
    check("---  \r\na: b\r\n---\r\nA\r\n", "A");
    check("---\n[broken\n---\nA", "A");
    check("---\n---\nA", "A");
    // No frontmatter: after a blank line or a mark, without an end, with another fence.
    check("\n---\na: b\n---\nA", "---\na: b\n---\nA");
    check("\u{feff}---\na: b\n---\nA", "---\na: b\n---\nA");
    check("---\na: b\nA", "---\na: b\nA");
    check("---\na: b\n...\nA", "---\na: b\n...\nA");
    check("----\na: b\n----\nA", "----\na: b\n----\nA");
    check("---", "---");
    check(" ---\na: b\n---\nA", "---\na: b\n---\nA");
    check("---\na: b\n---\nA\n<!-- c -->\nB", "A\nB");
}

#[test]
fn comments_that_are_blocks_of_their_own_are_removed() {
    check("A\n<!-- hid -->\nB\n<!--\nmulti\n-->\nC\n", "A\nB\nC");
    check("A\n\n<!-- c -->\n\nB\n", "A\n\nB");
    check("A\r\n<!-- c -->\r\nB\r\n", "A\r\nB");
    check("A\r\n<!-- c -->\r\n\r\nB", "A\r\nB");
    check("A\n<!-- c -->\n\n\nB", "A\nB");
    check("\u{feff}<!-- c -->\nA", "A");
    // Between two rules, not in metadata.
    check("A\n\n---\nx\n<!-- c -->\n---\nB", "A\n\n---\nx\n---\nB");
    check(
        "<!-- a --><!-- b -->\nX\n<!-- a --> mid <!-- b -->\nY\n",
        "X\n mid \nY",
    );
    check("A\n  <!-- indented -->\nB", "A\nB");
    check("<!-- start --> tail\n<!---->\nG\n", "tail\nG");
}

#[test]
fn other_comments_stay() {
    let text = "B <!-- inline --> C\n```html\n<!-- fenced -->\n```\n`<!-- span -->` E\n    <!-- indented4 -->\n- item\n  <!-- in list -->\nF<!--x-->";
    check(text, text);
    check("> q\n> <!-- c -->\n> r", "> q\n> <!-- c -->\n> r");
    check(
        "<div>\n<!-- c -->\n</div>\nT",
        "<div>\n<!-- c -->\n</div>\nT",
    );
    check("A\n<!-- never\nB\nC\n", "A\n<!-- never\nB\nC");
    check("<!-->\nA", "<!-->\nA");
    check("<!--->\nA", "<!--->\nA");
    check("<!X <!-- c -->\nT", "<!X <!-- c -->\nT");
    let quote = "> <!-- a -->\n> x\n>\n> <!-- b -->\n> r";
    check(quote, quote);
}

#[test]
fn large_comments_do_not_count() {
    check(&format!("<!-- {} -->\nKEEP\n", "c".repeat(30_000)), "KEEP");
}

#[test]
fn nothing_is_copied_unless_something_inside_is_removed() {
    for text in [
        "A\nB",
        "\n A \n",
        "---\na: b\n---\nA <!-- inline -->",
        "\u{feff}<!-- c -->\nA",
        "  <!-- c -->\nA",
    ] {
        assert!(
            matches!(strip(text.as_bytes()), Cow::Borrowed(_)),
            "{text:?}"
        );
    }
}

#[test]
fn nesting_bombs_end() {
    for unit in ["> ", "- ", "[", "<!--", "<!-- -->", "`", "***a"] {
        let text = unit.repeat(50_000);
        assert!(strip(text.as_bytes()).len() <= text.len());
    }
}
