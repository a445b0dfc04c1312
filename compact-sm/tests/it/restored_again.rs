//! What comes back after a second compaction, and beside a part that stays before the summary.

use compact_sm::{
    Breaker, Cause, Compact, KeepConfig, Message, NoHooks, Notes, Origin, RecentFile, Restore, Way,
    WhyNotRestored, compact, files_fn, recent_reads, restore,
};

use crate::restoring::{any, call, counter, reads};
use crate::scripted::{Scripted, now};

#[test]
fn what_was_brought_back_keeps_its_order_and_is_older_than_what_stayed() {
    let options = Restore::default();
    let recent = ["/newest", "/second", "/third"].map(RecentFile::new);
    let back = restore(&recent, &[], &options, &any(), &counter());
    let mut list = vec![Message::user("so far").origin(Origin::Summary)];
    call(&mut list, "Read", "/kept", false);
    list.extend(back.attachments.iter().map(|file| file.to_message()));
    let paths = |list: &[Message]| -> Vec<String> {
        let found = recent_reads(list).into_iter();
        found.map(|file| file.path).collect()
    };
    assert_eq!(paths(&list), ["/kept", "/newest", "/second", "/third"]);
    call(&mut list, "Read", "/later", false);
    assert_eq!(paths(&list)[..3], ["/later", "/kept", "/newest"]);
    // Before a summary everything is older than what came back behind it.
    let mut longer = reads(&["/long ago"]);
    longer.extend(list);
    assert_eq!(paths(&longer)[4..], ["/third", "/long ago"]);
}

#[test]
fn a_file_that_the_summarized_part_changed_comes_back_although_an_old_text_stays_before_it() {
    let mut list = reads(&["/changed", "/same"]);
    list.push(Message::assistant("read"));
    let start = list.len();
    list.push(Message::user("change one ".repeat(200)));
    call(&mut list, "Edit", "/changed", false);
    list.push(Message::assistant(
        "changed, with some words about how it was done",
    ));
    let end = list.len();
    list.push(Message::user("and now?"));
    let files = files_fn(|path: &str| Ok(format!("new text of {path}")));
    let (breaker, counter) = (Breaker::new(), counter());
    let how = Compact::new(&breaker, &counter).files(&files);
    let cause = Cause::partial(start..end, None);
    let done = now(compact(&list, &cause, &how, &Scripted::says("s"), &NoHooks)).unwrap();
    let back: Vec<_> = done.restored.attachments.iter().map(|a| &a.name).collect();
    assert_eq!(back, ["/changed"]);
    assert_eq!(done.restored.present, ["/changed", "/same"]);
}

#[test]
fn a_file_that_the_list_names_twice_comes_back_once() {
    let recent = ["/a", "b", "./b", "././b", "/a", "/c"].map(RecentFile::new);
    let plan = Restore::default().plan("./plan.md", "steps");
    let back = restore(&recent, &[], &plan, &any(), &counter());
    let names: Vec<_> = back.attachments.iter().map(|a| a.name.as_str()).collect();
    assert_eq!(names, ["/a", "b", "/c", "./plan.md"]);
    let named = ["plan.md"].map(RecentFile::new);
    let back = restore(&named, &[], &plan, &any(), &counter());
    assert_eq!(back.attachments.len(), 1);
}

/// A conversation whose kept tail holds what a former compaction brought back.
fn brought_back(options: &Restore, files: &impl compact_sm::Files) -> Vec<Message> {
    let recent = ["/a", "./b", "/empty"].map(RecentFile::new);
    let back = restore(&recent, &[], options, files, &counter());
    let mut list = vec![Message::user("so far").origin(Origin::Summary)];
    list.push(Message::assistant("I go on."));
    list.extend(back.attachments.iter().map(|file| file.to_message()));
    list
}

fn texts() -> impl compact_sm::Files + use<> {
    files_fn(|path: &str| match path {
        "/empty" => Ok(String::new()),
        path => Ok(format!("now: {path}\n").repeat(300)),
    })
}

#[test]
fn what_a_former_compaction_brought_back_is_not_repeated_while_it_stands_there() {
    let options = Restore::default()
        .plan("/plan.md", "steps")
        .skill("s", "twice");
    let list = brought_back(&options, &texts());
    let again = restore(&recent_reads(&list), &list, &options, &texts(), &counter());
    assert_eq!(again.attachments, vec![]);
    assert!(
        again
            .left_out
            .iter()
            .all(|left| left.why == WhyNotRestored::InKept)
    );
    assert_eq!(again.left_out.len(), 5);
    assert_eq!(again.present, ["/a", "./b", "/empty"]);
    // What changed comes back, and all of it where the tail does not hold it.
    let newer = Restore::default()
        .plan("/plan.md", "other steps")
        .skill("s", "twice");
    let again = restore(&recent_reads(&list), &list, &newer, &texts(), &counter());
    let names: Vec<_> = again.attachments.iter().map(|a| a.name.as_str()).collect();
    assert_eq!(names, ["/plan.md"]);
    let again = restore(&recent_reads(&list), &[], &options, &texts(), &counter());
    assert_eq!(again.attachments.len(), 5);
}

#[test]
fn the_head_of_a_file_is_repeated_only_if_it_is_another() {
    let options = Restore::default().file_tokens(300, 50_000);
    let list = brought_back(&options, &texts());
    let recent = recent_reads(&list);
    let again = restore(&recent, &list, &options, &texts(), &counter());
    assert_eq!(again.attachments, vec![]);
    // Its whole text is not there, so no cache may say that it is unchanged.
    assert_eq!(again.present, ["/empty"]);
    let other = files_fn(|path: &str| Ok(format!("then: {path}\n").repeat(300)));
    let again = restore(&recent, &list, &options, &other, &counter());
    assert_eq!(again.attachments.len(), 2);
}

#[test]
fn compactions_from_notes_in_a_row_hold_each_file_once() {
    let mut list = reads(&["/a", "/b"]);
    list.push(Message::assistant("both are read, ".repeat(300)));
    let files = texts();
    let (breaker, counter) = (Breaker::new(), counter());
    let mut counts = Vec::new();
    for _ in 0..4 {
        for _ in 0..12 {
            list.push(Message::user("go on, and say what you find"));
            list.push(Message::assistant("found ".repeat(400)));
        }
        let notes = Notes::new("# Current State\n\nTwo files.\n");
        let mut keep = KeepConfig::default();
        (keep.min_tokens, keep.min_text_messages) = (2_500, 1);
        let how = Compact::new(&breaker, &counter)
            .files(&files)
            .notes(&notes)
            .figures(|figures| figures.keep(keep));
        let model = Scripted::says("s");
        let done = now(compact(&list, &Cause::manual(None), &how, &model, &NoHooks)).unwrap();
        assert_eq!(done.by, Way::Notes, "{:?}", done.attempts);
        let done_present = done.restored.present.clone();
        list = done.into_messages();
        let json: String = list.iter().map(|m| m.to_request().to_string()).collect();
        counts.push(json.matches("The file /a was").count());
        assert_eq!(done_present, ["/b", "/a"]);
    }
    assert_eq!(counts, [1; 4]);
}
