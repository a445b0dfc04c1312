//! Words with a slip of the hand.

use memdir_recall::Query;

use crate::words::{directory, finds, identifiers};
use crate::world::files;

#[test]
fn a_slip_of_the_hand_is_forgiven() {
    let recall = identifiers().recall();
    finds(&recall, "terminls", "i3.md");
    finds(&recall, "the timeuot in secnods", "timeout.md");
    // Where the word itself is known, nothing is put right.
    let recall = directory(&[
        ("terminals.md", "x", "The terminals of the customs office."),
        ("termites.md", "x", "The terminels of the customs office."),
    ])
    .recall();
    let picked = recall.pick(&Query::new("terminels"));
    assert_eq!(files(&picked), ["termites.md"], "{}", picked.receipt);
}

#[test]
fn words_of_the_trade_are_meant_as_they_are_written() {
    let recall = directory(&[
        ("a.md", "x", "They mutter at zebras."),
        ("b.md", "x", "The okapi."),
    ])
    .recall();
    finds(&recall, "muttor", "a.md");
    let receipt = recall.pick(&Query::new("does it matter")).receipt;
    assert_eq!(receipt.matches, 0, "{receipt}");
}

#[test]
fn what_may_be_no_slip_is_less_evidence() {
    let world = directory(&[("a.md", "x", "The recaptcha met zebras.")]);
    let evidence = |query: &str| {
        let receipt = world.recall().pick(&Query::new(query)).receipt;
        receipt.candidates[0].evidence
    };
    assert!(evidence("recaptca giraffe") * 4 < evidence("recaptcha giraffe") * 3);
}
