//! Where the kept tail begins in odd conversations, and what its borders are made of.

use compact_sm::{
    BOUNDARY_MARK, Block, Counter, Message, Origin, Stop, Summarized, boundary_text, keep_window,
};

use crate::kept_tail::{call, counter, keep, none, result, talk};

/// Counts every message as the most there is.
struct Endless;

impl Counter for Endless {
    fn text(&self, _: &str) -> u64 {
        u64::MAX
    }
}

#[test]
fn a_count_beyond_every_number_stays_the_most_there_is() {
    let list = talk(4, 10);
    let kept = keep_window(&list, &Summarized::Count(2), &none(), &Endless);
    assert_eq!((kept.range, kept.stop), (2..4, Stop::NotCovered));
    assert_eq!(kept.tokens, u64::MAX);
}

#[test]
fn notes_that_end_before_the_last_summary_count_from_there() {
    let mut list = talk(6, 10);
    list[1].origin = Origin::Summary;
    let kept = keep(&list, &Summarized::Count(0), &none());
    assert_eq!((kept.range, kept.stop), (2..6, Stop::Minima));
}

#[test]
fn a_later_command_moves_nothing_that_the_notes_do_not_cover() {
    let mut list = talk(4, 10);
    list.push(Message::user("/compact"));
    list.extend(talk(2, 10));
    list.push(Message::user("/compact"));
    let kept = keep(&list, &Summarized::Count(2), &none());
    assert_eq!((kept.range, kept.left_out), (2..8, vec![4, 7]));
}

#[test]
fn only_messages_with_text_count_for_their_minimum() {
    let mut list = talk(3, 10);
    list.push(Message::assistant([call("a")]));
    list.push(Message::user([result("a")]));
    list.push(Message::assistant("done"));
    let kept = keep(&list, &Summarized::Unknown, &none().min_text_messages(2));
    assert_eq!((kept.range, kept.text_messages), (2..6, 2));
}

#[test]
fn what_is_not_covered_and_too_much_by_itself_says_so_before_the_minima_are_reached() {
    let config = none().min_text_messages(5).max_tokens(15);
    let kept = keep(&talk(8, 10), &Summarized::Count(6), &config);
    assert_eq!((kept.range, kept.stop), (6..8, Stop::NotCovered));
}

#[test]
fn a_result_without_its_call_is_lost_only_if_the_notes_do_not_cover_it() {
    let orphan = || Message::user([result("gone")]);
    let mut list = vec![orphan()];
    list.extend(talk(2, 10));
    let much = none().min_tokens(1_000);
    let kept = |list: &[Message], count| keep(list, &Summarized::Count(count), &much);

    let covered = kept(&list, 1);
    assert_eq!((covered.range, covered.stop), (1..3, Stop::Floor));
    let lost = kept(&list, 0);
    assert_eq!((lost.range, lost.stop), (0..3, Stop::NoCut));
    assert_eq!(lost.text_messages, 2);
    assert_eq!(
        lost.tokens,
        list.iter().map(|m| counter().message(m)).sum::<u64>()
    );

    list.insert(0, Message::user("first"));
    assert_eq!(kept(&list, 0).text_messages, 3);

    // Alone there is no place to cut at all, whatever the notes say.
    let alone = kept(&[orphan()], 1);
    assert_eq!((alone.range, alone.stop), (0..1, Stop::NoCut));
    // Not even the summary comes back.
    let mut summary = Message::user("earlier");
    summary.origin = Origin::Summary;
    let behind = kept(&[summary, orphan()], 1);
    assert_eq!((behind.range, behind.stop), (1..2, Stop::NoCut));
}

/// What the border looks at when it asks whether a cut goes through a response.
#[test]
fn records_of_one_response_stay_together_over_any_number_of_results() {
    let with_id = |id: &str, block: Block| {
        let mut message = Message::assistant([block]);
        message.id = Some(id.into());
        message
    };
    let streamed = |last: &str| {
        let mut list = talk(2, 10);
        list.push(Message::user("go"));
        list.push(with_id("m", call("a")));
        list.push(Message::user([result("a")]));
        list.push(Message::user([result("b")]));
        list.push(with_id(last, Block::text("done")));
        list[3].content.blocks.push(call("b"));
        list
    };
    let start = |list: &[Message]| keep(list, &Summarized::Unknown, &none()).range.start;
    assert_eq!(start(&streamed("m")), 3);
    assert_eq!(start(&streamed("n")), 6);
    // Without an id nobody can tell, once results stand between.
    let mut unknown = streamed("m");
    unknown[6].id = None;
    assert_eq!(start(&unknown), 6);
    unknown.remove(5);
    unknown[3].content.blocks.pop();
    assert_eq!(start(&unknown), 5);
    // A text of the person between them ends a response.
    let mut said = streamed("m");
    said.insert(6, Message::user("and?"));
    assert_eq!(start(&said), 7);
    // So does the summary, which is nobody's response.
    let mut after = vec![with_id("m", Block::text("so far"))];
    after[0].origin = Origin::Summary;
    after.push(with_id("m", Block::text("on")));
    let kept = keep(&after, &Summarized::Unknown, &none());
    assert_eq!((kept.range, kept.stop), (1..2, Stop::Minima));
}

#[test]
fn only_results_may_stand_between_the_records_of_a_response() {
    let with_id = |id: &str, block: Block| {
        let mut message = Message::assistant([block]);
        message.id = Some(id.into());
        message
    };
    let start = |between: &[Message], last: Message| {
        let mut list = vec![Message::user("go"), with_id("m", call("a"))];
        list.extend_from_slice(between);
        list.push(last);
        keep(&list, &Summarized::Unknown, &none()).range.start
    };
    let answer = Message::user([result("a")]);
    let more = with_id("m", Block::text("more"));
    let last = || with_id("m", Block::text("done"));
    assert_eq!(start(std::slice::from_ref(&answer), last()), 1);
    let said = Message::user([result("a"), Block::text("and?")]);
    assert_eq!(start(&[said], last()), 3);
    let empty = Message::user(Vec::<Block>::new());
    assert_eq!(start(&[answer.clone(), empty], last()), 4);
    assert_eq!(start(&[answer, more, Message::user("and?")], last()), 5);
    // Results in the wrong role are part of the response.
    let odd = Message::assistant([result("a")]);
    assert_eq!(start(&[odd], Message::assistant("done")), 1);
}

#[test]
fn an_id_is_compared_letter_by_letter() {
    let mut list = talk(6, 10);
    list[1].uuid = Some("a1".into());
    let start = |uuid: &str| {
        let summarized = Summarized::Uuid(uuid.to_owned());
        keep(&list, &summarized, &none()).range.start
    };
    assert_eq!((start("a1"), start("A1")), (2, 5));
}

#[test]
fn a_command_is_one_by_its_whole_first_word_and_what_hosts_put_beside_it() {
    let reminder = "\n<system-reminder>be brief</system-reminder>";
    let recorded =
        "<command-message>compact</command-message>\n<command-name>/compact</command-name>";
    let is_left_out = |message: Message| {
        let mut list = talk(2, 10);
        list.push(message);
        keep(&list, &Summarized::Unknown, &none()).left_out == [2]
    };
    let said = |texts: &[&str]| {
        let blocks: Vec<Block> = texts.iter().map(|text| Block::text(*text)).collect();
        is_left_out(Message::user(blocks))
    };
    for text in [
        "/compact",
        "  /compact",
        "/compact keep the names",
        "/compact\nkeep the names",
        "<command-name>/compact</command-name>",
        recorded,
    ] {
        assert!(said(&[text]), "{text}");
        assert!(said(&[text, reminder]), "{text}");
        assert!(!said(&[text, "and this"]), "{text}");
        assert!(!said(&[text, reminder, "and this"]), "{text}");
        assert!(!is_left_out(Message::assistant(text)), "{text}");
    }
    for text in [
        "/compacted",
        "/compact-all",
        "please /compact",
        "<command-message>compact</command-message>",
        "see <command-name>/compact</command-name>",
        "",
    ] {
        assert!(!said(&[text]), "{text}");
    }
}

#[test]
fn a_summary_is_one_by_its_origin_or_by_the_whole_text_form() {
    let text = boundary_text("so far");
    let start = |message: Message| {
        let mut list = vec![message];
        list.extend(talk(2, 10));
        let much = none().min_tokens(1_000);
        keep(&list, &Summarized::Unknown, &much).range.start
    };
    assert_eq!(start(Message::user(text.as_str())), 1);
    assert_eq!(start(Message::user(text.replace('\n', "\r\n").as_str())), 1);
    assert_eq!(start(Message::user(format!("{text}\r\n\n").as_str())), 1);
    // It stands first; the mark alone, or from the model, is talk about it.
    assert_eq!(
        start(Message::user([Block::text(&*text), Block::text("on")])),
        1
    );
    assert_eq!(
        start(Message::user([Block::text("on"), Block::text(&*text)])),
        0
    );
    assert_eq!(start(Message::assistant(text.as_str())), 0);
    for other in [
        BOUNDARY_MARK.to_owned(),
        format!(" {text}"),
        format!("{text} "),
        text.replace('\n', ""),
        text.replacen(BOUNDARY_MARK, "", 1),
    ] {
        assert_eq!(start(Message::user(other.as_str())), 0, "{other:?}");
    }
}
