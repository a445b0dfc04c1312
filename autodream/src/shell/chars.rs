//! Which characters a command line may hold.

use crate::policy::{Refusal, RefusalKind};

/// Refuses a command with a character that is not seen, that orders text, or that a terminal or a
/// shell reads in its own way. Letters, digits and common signs of all scripts pass.
pub(super) fn check(command: &str) -> Result<(), Refusal> {
    if command
        .bytes()
        .all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t'))
    {
        return Ok(());
    }
    match command.chars().find(|c| !is_visible(*c)) {
        None => Ok(()),
        Some(c) => Err(Refusal::new(
            RefusalKind::Character,
            c.to_string(),
            "a command may hold printable characters only",
        )),
    }
}

fn is_visible(c: char) -> bool {
    match c {
        ' '..='~' | '\n' | '\t' => true,
        '\0'..='\u{a0}' | '\u{ad}' | '\u{34f}' => false,
        // Letters to Unicode, and nothing to the eye.
        '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{ffa0}'
        | '\u{2800}' => false,
        // Latin punctuation, and accents as characters of their own.
        '\u{a1}'..='\u{bf}' | '\u{d7}' | '\u{f7}' | '\u{300}'..='\u{36f}' => true,
        // Dashes, quotation marks, bullets and ellipses; the spaces and marks around them do not.
        '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}' => true,
        // Currency, arrows, mathematics, boxes, signs.
        '\u{20a0}'..='\u{20c0}' | '\u{2100}'..='\u{27ff}' | '\u{2900}'..='\u{2bff}' => true,
        // Punctuation of Chinese, Japanese and Korean, without the wide space.
        '\u{3001}'..='\u{303f}' | '\u{30fb}' | '\u{ff01}'..='\u{ff65}' => true,
        // Emoji.
        '\u{1f300}'..='\u{1faff}' => true,
        c => c.is_alphanumeric(),
    }
}
