//! The write gate and prompt tags: found in any disguise, escaped for the person alone.

use memdir_types::{Audience, GateAction, GateRule, Memory, gate, gate_text};

use GateRule::Fence;

/// Nothing is found.
#[track_caller]
fn clean(text: &str) {
    let cleared = gate_text(text, Audience::Team).unwrap();
    assert!(cleared.findings().is_empty(), "{text:?}");
    assert_eq!(*cleared, text);
}

#[test]
fn prompt_tags_are_found_in_any_spelling() {
    for text in [
        "<system-reminder>",
        "</system-reminder>",
        "<SYSTEM-Reminder>",
        "< system-reminder >",
        "< / system-reminder>",
        "<\nsystem-reminder\n>",
        "<system-reminder foo=\"x\">",
        "<system-reminder/>",
        "<system-reminder",
        "<team-memory-content>",
        "</team-memory-content>",
        "<team-memory-content source=\"shared\">",
        "<types>",
        "</types>",
        "<when_to_save>",
        "</how_to_use>",
        "<body_structure>",
    ] {
        let refusal = gate_text(&format!("a {text} b"), Audience::Team).unwrap_err();
        assert_eq!(
            (
                refusal.findings()[0].rule,
                refusal.findings()[0].range.start
            ),
            (Fence, 2),
            "{text:?}"
        );
        let cleared = gate_text(&format!("a {text} b"), Audience::Private).unwrap();
        assert_eq!(*cleared, format!("a &lt;{} b", &text[1..]));
        assert_eq!(cleared.findings()[0].action, GateAction::Escaped);
        // What passed once passes again.
        assert!(gate_text(&cleared, Audience::Team).is_ok());
    }
}

#[test]
fn a_prompt_tag_disguised_by_invisible_characters_is_found() {
    for text in [
        "<\u{200b}/system-reminder>",
        "<sys\u{200d}tem-reminder>",
        "<system\u{ad}-reminder>",
        "<\u{202e}types>",
        "<types\u{feff}>",
    ] {
        let cleared = gate_text(text, Audience::Private).unwrap();
        assert!(cleared.starts_with("&lt;"), "{text:?}");
        assert!(cleared.findings().iter().any(|f| f.rule == Fence));
    }
}

#[test]
fn a_prompt_tag_in_letters_or_signs_that_look_the_same_is_found() {
    for text in [
        "＜system-reminder＞",
        "＜/ｓｙｓｔｅｍ－ｒｅｍｉｎｄｅｒ＞",
        "﹤types﹥",
        "＜ｔｙｐｅｓ＞",
        "‹system-reminder›",
        "〈/team-memory-content〉",
        "⟨when_to_save⟩",
        "<system\u{2010}reminder>",
        "<system\u{2011}reminder>",
        "<system—reminder>",
        "<ѕуѕtem-rеmіndеr>",
        "</tурeѕ>",
        "<ſystem-reminder>",
        "<system-remınder>",
        "<𝗌𝗒𝗌𝗍𝖾𝗆-𝓻𝓮𝓶𝓲𝓷𝓭𝓮𝓻>",
        "<𝐒𝐘𝐒𝐓𝐄𝐌-reminder>",
        "<ⓢystem-Ⓡeminder>",
        "<s\u{301}ystem-reminder\u{336}>",
        "<\\/system-reminder>",
        "<//system-reminder>",
        "<∕types>",
    ] {
        let refusal = gate_text(&format!("é {text} b"), Audience::Team).unwrap_err();
        let fence = refusal.findings().iter().find(|f| f.rule == Fence).unwrap();
        assert_eq!(fence.range.start, 3, "{text:?}");
        let cleared = gate_text(&format!("é {text} b"), Audience::Private).unwrap();
        let sign = text.chars().next().unwrap().len_utf8();
        assert_eq!(*cleared, format!("é &lt;{} b", &text[sign..]));
        assert!(
            gate_text(&cleared, Audience::Private)
                .unwrap()
                .findings()
                .iter()
                .all(|f| f.rule != Fence)
        );
    }
}

#[test]
fn no_distance_between_sign_and_name_hides_a_prompt_tag() {
    for gap in [" ", "\n", "\u{200b}", "\u{3164}", "/", "\\ "] {
        let text = format!("a <{}system-reminder>", gap.repeat(5_000));
        let cleared = gate_text(&text, Audience::Private).unwrap();
        assert!(cleared.starts_with("a &lt;"), "{gap:?}");
        let text = format!("a <system{}-reminder>", "\u{200b}".repeat(5_000));
        assert!(
            gate_text(&text, Audience::Private)
                .unwrap()
                .starts_with("a &lt;")
        );
    }
}

#[test]
fn tags_that_are_not_ours_pass() {
    for text in [
        "<system-reminders>",
        "<system>",
        "<reminder>",
        "a < system",
        "x<y",
        "Vec<types::Kind>",
        "HashMap<K, Vec<types>>",
        "impl<types> Foo",
        "‹types›",
        "〈types〉",
        "＜",
        "<тест-проверка>",
        "<types, x>",
        "f<types(x)",
        "<div>",
        "<name>",
        "<type>",
        "git switch <name>",
        "<description>",
        "<examples>",
        "&lt;system-reminder&gt;",
        "system-reminder",
        "<<EOF",
        "</>",
        "<",
    ] {
        clean(text);
    }
}

#[test]
fn prompt_tags_in_a_private_memory_are_escaped_in_place() {
    let text = "---\nname: on <types>\ndescription: \"\\x3ctypes> d\"\ntype: user\nextra: a <types>\n---\n\n</system-reminder>\n";
    let cleared = gate(&Memory::parse(text), Audience::Private).unwrap();
    assert_eq!(
        cleared.render(),
        "---\nname: on &lt;types>\ndescription: \"&lt;types> d\"\ntype: user\nextra: a &lt;types>\n---\n\n&lt;/system-reminder>\n"
    );
    assert_eq!(cleared.name(), Some("on &lt;types>"));
    assert!(
        cleared
            .findings()
            .iter()
            .all(|f| f.action == GateAction::Escaped)
    );
    assert_eq!(cleared.findings().len(), 4);
    assert!(gate(&cleared, Audience::Team).is_ok());
}

#[test]
fn a_prompt_tag_at_the_start_of_an_unquoted_value_is_quoted() {
    let text = "---\nname: <types> x\ntype: user\n---\nbody\n";
    let cleared = gate(&Memory::parse(text), Audience::Private).unwrap();
    assert_eq!(
        cleared.render(),
        "---\nname: \"&lt;types> x\"\ntype: user\n---\nbody\n"
    );
    // In a key that is not ours, that would break the block: refused rather than broken.
    let text = "---\nname: title\nextra: <types> x\n---\nbody\n";
    let refusal = gate(&Memory::parse(text), Audience::Private).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "the text was refused: prompt tag at line 3, column 8"
    );
}

#[test]
fn a_recovered_memory_passes_and_is_escaped_too() {
    let text = "---\nname: a: b\n---\n<types>\n";
    let cleared = gate(&Memory::parse(text), Audience::Private).unwrap();
    assert_eq!(cleared.render(), "---\nname: a: b\n---\n&lt;types>\n");
    assert!(cleared.is_recovered());
}
