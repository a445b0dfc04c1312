//! Words with a slip of the hand.

use memdir_recall::Query;

use crate::words::{directory, finds, identifiers};
use crate::world::files;

#[test]
fn a_slip_of_the_hand_is_forgiven() {
    let recall = identifiers().recall();
    finds(&recall, "terminls", "i3.md");
    finds(&recall, "the timeuot in secnods", "timeout.md");
    let recall = directory(&[
        ("timeout.md", "waiting", "The timeout is 30 seconds."),
        ("i3.md", "desktop", "i3lock and utf-8 terminals"),
        ("zebra.md", "x", "The zebra of the customs office."),
        ("flame.md", "x", "The flames of the contract."),
        ("chain.md", "metal", "A key chain hangs by the door."),
        (
            "names.md",
            "naming",
            "Call getUserName before HTTPServer starts.",
        ),
    ])
    .recall();
    finds(&recall, "the zbera", "zebra.md");
    // Short words are often near each other, and one of the trade is meant as it is written.
    for query in ["the blame", "flyme", "the contact"] {
        let picked = recall.pick(&Query::new(query));
        assert_eq!(files(&picked), [""; 0], "{query}: {}", picked.receipt);
    }
    // Where the word itself is known, nothing is put right.
    let recall = directory(&[
        ("form.md", "x", "The forms of the customs office."),
        ("farms.md", "x", "The farms of the customs office."),
    ])
    .recall();
    let picked = recall.pick(&Query::new("farms"));
    assert_eq!(files(&picked), ["farms.md"], "{}", picked.receipt);
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
