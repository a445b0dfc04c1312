//! What comes back after a second compaction, and beside a part that stays before the summary.

use compact_sm::{
    Breaker, Cause, Compact, Message, NoHooks, Origin, RecentFile, Restore, compact, files_fn,
    recent_reads, restore,
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
    list.push(Message::user("change one"));
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
