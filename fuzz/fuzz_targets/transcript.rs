//! Transcripts: every line is a line or skipped, lines survive a round trip, and whatever the
//! conversation is, it can be repaired, cut and cleared without becoming invalid.
#![no_main]

use std::time::Duration;

use compact_sm::{
    Estimate, Estimator, Fallback, FromNotes, KeepConfig, Line, MicroOptions, Notes, Reader,
    Summarized, Transcript, When, from_notes, micro, validate,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    for line in Reader::new(data).flatten() {
        let json = line.to_json();
        let again: Line = serde_json::from_value(json.clone()).unwrap();
        assert_eq!(again.to_json(), json);
        if let Some(boundary) = line.boundary() {
            let json = boundary.to_json();
            let again = compact_sm::Boundary::from_json(&json).unwrap();
            assert_eq!(again.to_json(), json);
        }
    }
    let transcript = Transcript::read(data);
    assert!(transcript.skipped.len() as u64 <= transcript.skipped_total);
    let messages = transcript.into_conversation().messages;
    assert_eq!(structural(&messages), 0);

    let counter = Estimator::new(Estimate::BytesDiv4);
    let options = MicroOptions::default().keep(1).protect_tokens(5);
    let plan = micro(&messages, When::Idle(Duration::MAX), &options, &counter);
    let cleared = plan.apply(messages).unwrap().messages;
    assert_eq!(structural(&cleared), 0);

    let at = data.len() % 7;
    let keep = KeepConfig::default()
        .min_tokens(3)
        .min_text_messages(1)
        .max_tokens(40);
    let options = FromNotes::default().keep(keep);
    for summarized in [Summarized::Unknown, Summarized::Count(at)] {
        let notes = Notes::new("x").summarized(summarized);
        match from_notes(&cleared, &notes, &options, &counter) {
            Ok(plan) => {
                let done = plan.apply(cleared.clone()).unwrap();
                assert_eq!(structural(&done.messages), 0);
            }
            Err(Fallback::NoCut) => panic!("a valid list can be cut"),
            Err(_) => {}
        }
    }
});

/// Violations but for counts, which a repair leaves alone.
fn structural(messages: &[compact_sm::Message]) -> usize {
    use compact_sm::Rule::{TooManyCacheMarks, TooManyDocuments, TooManyImages};
    let found = validate(messages).into_iter();
    let counts = found.filter(|violation| {
        !matches!(
            violation.rule,
            TooManyCacheMarks { .. } | TooManyDocuments { .. } | TooManyImages { .. }
        )
    });
    counts.count()
}
