//! How many words of a question are looked up, and what does not take their room.

use memdir_recall::Query;

use crate::words::directory;

/// The words of a question that one memory holds.
fn matched(memories: &[(&str, &str, &str)], question: &str, file: &str) -> Vec<String> {
    let receipt = directory(memories)
        .recall()
        .pick(&Query::new(question))
        .receipt;
    let found = receipt.candidates.into_iter().find(|c| c.file == file);
    let matched = found.map(|found| found.matched).unwrap_or_default();
    matched.iter().map(|term| term.to_string()).collect()
}

fn numbered(letter: char, words: usize) -> String {
    (0..words).map(|n| format!("{letter}{n}q ")).collect()
}

#[test]
fn sixty_four_words_are_looked_up() {
    let memories = [("a.md", "x", "The zebra."), ("b.md", "x", "The okapi.")];
    for (before, found) in [(63, true), (64, false)] {
        let question = numbered('w', before) + "zebra";
        let matched = matched(&memories, &question, "a.md");
        assert_eq!(matched.contains(&"zebra".to_owned()), found, "{before}");
    }
}

#[test]
fn what_stands_in_for_words_takes_no_room_from_them() {
    // 34 words, and what they are called in the other memory.
    let question = "access alert api artifact authentication bank body buffer character close \
                    credential data delete detect discussion draw email enum expert feedback \
                    framework generate height icon increase instance issue knowledge length login \
                    message music output partition zbera";
    let chinese = "访问。告警。接口。制品。认证。银行。正文。缓冲。字符。关闭。凭据。数据。删除。检测。讨论。绘制。\
                   邮件。枚举。专家。反馈。框架。生成。高度。图标。增加。实例。问题。知识。长度。登录。消息。音乐。输出。\
                   分区。";
    let memories = [("a.md", "x", "The zebra."), ("b.md", "x", chinese)];
    assert!(matched(&memories, question, "b.md").len() > 30);
    // The slip is looked up behind them.
    assert_eq!(matched(&memories, question, "a.md"), ["zebra"]);
}

#[test]
fn what_nearly_all_memories_hold_is_looked_up_once() {
    let everywhere = numbered('e', 70);
    let names: Vec<String> = (0..150).map(|n| format!("{n}.md")).collect();
    let with_zebra = format!("{everywhere} zebra");
    let mut memories: Vec<(&str, &str, &str)> = names
        .iter()
        .map(|name| (name.as_str(), "x", everywhere.as_str()))
        .collect();
    memories[7].2 = &with_zebra;
    let found = |question: &str| matched(&memories, question, "7.md") == ["zebra"];
    assert!(found(&("e1q ".repeat(200) + "zebra")));
    assert!(found(&(numbered('e', 63) + "zebra")));
    // They are bounded, too.
    assert!(!found(&(numbered('e', 64) + "zebra")));
}

#[test]
fn what_is_said_again_and_again_takes_no_room() {
    let memories = [
        ("a.md", "x", "数据库每晚备份。"),
        ("b.md", "x", "The okapi."),
    ];
    for before in [
        "retrying ".repeat(1_000),
        "12:00:01 worker retry connection refused\n".repeat(200),
    ] {
        let question = before + "Why does the database refuse?";
        let matched = matched(&memories, &question, "a.md");
        assert_eq!(matched, ["数据库"], "{}", question.len());
    }
}
