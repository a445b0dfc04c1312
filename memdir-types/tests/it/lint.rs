//! What lint finds, where, and what it suggests.

use memdir_types::MemoryType::{Feedback, Project, Reference, User};
use memdir_types::{Date, Lint, LintRule, Memory, MemoryType, lint};

use LintRule::*;

/// A Monday.
const TODAY: Date = Date {
    year: 2026,
    month: 11,
    day: 30,
};

fn found(text: &str) -> Vec<Lint> {
    lint(&Memory::parse(text), TODAY)
}

/// Rules and lines.
#[track_caller]
fn check(text: &str, expected: &[(usize, LintRule)]) {
    let found: Vec<_> = found(text).iter().map(|l| (l.line, l.rule)).collect();
    assert_eq!(found, expected, "{text:?}");
}

/// The relative dates of one line of a body: the phrase and the suggestion.
#[track_caller]
fn dates(line: &str, expected: &[(&str, &str)]) {
    let memory = Memory::new(User, "title", "d", line);
    let found: Vec<_> = lint(&memory, TODAY)
        .into_iter()
        .map(|l| {
            assert_eq!((l.rule, l.line), (RelativeDate, 7));
            let phrase = l.reason.split('`').nth(1).unwrap().to_owned();
            (
                phrase,
                l.suggestion.strip_prefix("write ").unwrap().to_owned(),
            )
        })
        .collect();
    let found: Vec<_> = found
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    assert_eq!(found, expected, "{line:?}");
}

#[track_caller]
fn no_dates(line: &str) {
    dates(line, &[]);
}

#[test]
fn a_sound_memory_has_no_findings() {
    check(
        "---\nname: t\ndescription: d\ntype: user\n---\n\nbody\n",
        &[],
    );
    check(
        "---\nname: t\ndescription: d\ntype: feedback\n---\n\nRule.\n\n**Why:** x\n**How to apply:** y\n",
        &[],
    );
}

#[test]
fn missing_keys_are_found_where_they_would_stand() {
    check(
        "---\ntype: user\n---\n",
        &[(1, MissingName), (1, MissingDescription)],
    );
    check(
        "---\nother: x\nname:\ndescription: \"  \"\ntype: decision\n---\n",
        &[(3, MissingName), (4, MissingDescription), (5, MissingType)],
    );
    check(
        "just text\n",
        &[(1, MissingName), (1, MissingDescription), (1, MissingType)],
    );
}

#[test]
fn feedback_and_project_need_a_reason_and_a_use() {
    let body = |kind: MemoryType, body: &str| {
        format!("---\nname: t\ndescription: d\ntype: {kind}\n---\n\n{body}")
    };
    for kind in [Feedback, Project] {
        check(
            &body(kind, "Rule.\n"),
            &[(7, MissingWhy), (7, MissingHowToApply)],
        );
        check(&body(kind, "**Why:** x\n"), &[(7, MissingHowToApply)]);
        for (why, how) in [
            ("**Why:** x", "**How to apply:** y"),
            ("**Why**: x", "**How to apply**: y"),
            ("**Why**：x", "**How to apply**：y"),
            ("**Why：**x", "**How to apply：**y"),
            ("**WHY:** x", "**how To Apply:** y"),
            ("- **Why:** x", "* **How to apply:** y"),
            ("Why: x", "How to apply: y"),
            ("## Why", "## How to apply"),
            ("> __Why:__ x", "__How to apply:__ y"),
        ] {
            check(&body(kind, &format!("Rule.\n\n{why}\r\n{how}\r\n")), &[]);
        }
        // Mentions are not labels.
        check(
            &body(
                kind,
                "That is why: so.\nWhyever. How to apply it is open.\n",
            ),
            &[(7, MissingWhy), (7, MissingHowToApply)],
        );
    }
    for kind in [User, Reference] {
        check(&body(kind, "Rule.\n"), &[]);
    }
}

#[test]
fn long_descriptions_and_index_entries_are_found() {
    let memory = |name: usize, description: usize| {
        Memory::new(User, &"n".repeat(name), &"中".repeat(description), "")
    };
    // `- [nnnn](user_nnnn.md) — …` is 25 characters without the description.
    let rules = |memory: &Memory| {
        lint(memory, TODAY)
            .iter()
            .map(|l| l.rule)
            .collect::<Vec<_>>()
    };
    assert_eq!(rules(&memory(4, 125)), []);
    assert_eq!(rules(&memory(4, 126)), [IndexEntryTooLong]);
    assert_eq!(rules(&memory(4, 200)), [IndexEntryTooLong]);
    assert_eq!(rules(&memory(4, 201)), [DescriptionTooLong]);
    assert_eq!(rules(&memory(80, 1)), [IndexEntryTooLong]);
    let found = lint(&memory(4, 130), TODAY);
    assert_eq!(
        found[0].to_string(),
        "line 3: the index entry would have 155 characters, more than 150; shorten name or description by 5 characters"
    );
    let found = lint(&memory(4, 230), TODAY);
    assert_eq!(
        found[0].to_string(),
        "line 3: the description has 230 characters, more than 200; shorten it by 30 characters and move the rest to the body"
    );
}

#[test]
fn english_dates_are_computed() {
    dates("Freeze tomorrow.", &[("tomorrow", "2026-12-01")]);
    dates(
        "Tomorrow's deploy, yesterday's incident",
        &[("Tomorrow's", "2026-12-01"), ("yesterday's", "2026-11-29")],
    );
    dates("decided today", &[("today", "2026-11-30")]);
    dates(
        "the day after tomorrow",
        &[("day after tomorrow", "2026-12-02")],
    );
    dates(
        "the day before yesterday",
        &[("day before yesterday", "2026-11-28")],
    );
    dates(
        "due next Thursday",
        &[(
            "next Thursday",
            "2026-12-10 (or 2026-12-03, if the nearer one is meant)",
        )],
    );
    dates("next monday", &[("next monday", "2026-12-07")]);
    dates(
        "last Thursday it failed",
        &[("last Thursday", "2026-11-26")],
    );
    dates("this Friday", &[("this Friday", "2026-12-04")]);
    dates("coming Friday", &[("coming Friday", "2026-12-04")]);
    dates(
        "last week",
        &[("last week", "the week from 2026-11-23 to 2026-11-29")],
    );
    dates(
        "this week, next week",
        &[
            ("this week", "the week from 2026-11-30 to 2026-12-06"),
            ("next week", "the week from 2026-12-07 to 2026-12-13"),
        ],
    );
    dates(
        "next month and last month",
        &[("next month", "2026-12"), ("last month", "2026-10")],
    );
    dates("last quarter", &[("last quarter", "Q3 2026")]);
    dates("next quarter", &[("next quarter", "Q1 2027")]);
    dates(
        "next year, last year",
        &[("next year", "2027"), ("last year", "2025")],
    );
    dates("next weekend", &[("next weekend", "2026-12-12")]);
    dates("released in two weeks", &[("in two weeks", "2026-12-14")]);
    dates("In 3 days we cut", &[("In 3 days", "2026-12-03")]);
    dates("in a month", &[("in a month", "2026-12-30")]);
    dates("in 3 months", &[("in 3 months", "2027-02-28")]);
    dates(
        "in two weeks' time",
        &[(
            "in two weeks' time".trim_end_matches("' time"),
            "2026-12-14",
        )],
    );
    dates("two weeks ago", &[("two weeks ago", "2026-11-16")]);
    dates("a year ago", &[("a year ago", "2025-11-30")]);
    dates("a few days ago", &[("a few days ago", "the absolute date")]);
    dates(
        "in a couple of weeks",
        &[("in a couple of weeks", "the absolute date")],
    );
    dates("done by Friday", &[("by Friday", "2026-12-04")]);
    dates("since Monday", &[("since Monday", "2026-11-23")]);
    dates("from Monday on", &[("from Monday", "2026-11-30")]);
}

#[test]
fn chinese_dates_are_computed() {
    dates("明天冻结", &[("明天", "2026-12-01")]);
    dates(
        "昨天和前天",
        &[("昨天", "2026-11-29"), ("前天", "2026-11-28")],
    );
    dates(
        "后天、大后天",
        &[("后天", "2026-12-02"), ("大后天", "2026-12-03")],
    );
    dates("下周四之后冻结合并", &[("下周四", "2026-12-10")]);
    dates(
        "上周日，本周五，这周三",
        &[
            ("上周日", "2026-11-29"),
            ("本周五", "2026-12-04"),
            ("这周三", "2026-12-02"),
        ],
    );
    dates("下下周一", &[("下下周一", "2026-12-14")]);
    dates("下周末发布", &[("下周末", "2026-12-12")]);
    dates("下个星期四", &[("下个星期四", "2026-12-10")]);
    dates("合并冻结从周四开始", &[("周四", "2026-12-03")]);
    dates("星期天发布", &[("星期天", "2026-12-06")]);
    dates(
        "上周的事",
        &[("上周", "the week from 2026-11-23 to 2026-11-29")],
    );
    dates(
        "上个月，下个月，本月",
        &[
            ("上个月", "2026-10"),
            ("下个月", "2026-12"),
            ("本月", "2026-11"),
        ],
    );
    dates("上个季度 mock 测试全过", &[("上个季度", "Q3 2026")]);
    dates("去年，明年", &[("去年", "2025"), ("明年", "2027")]);
    dates(
        "3天后切换，两周前",
        &[("3天后", "2026-12-03"), ("两周前", "2026-11-16")],
    );
    dates("三个月之后", &[("三个月之后", "2027-02-28")]);
    dates("十二天以后", &[("十二天以后", "2026-12-12")]);
    dates("2 周后", &[("2 周后", "2026-12-14")]);
    dates("几天后", &[("几天后", "the absolute date")]);
    dates(
        "今天下周四",
        &[("今天", "2026-11-30"), ("下周四", "2026-12-10")],
    );
}

#[test]
fn what_only_looks_like_a_date_passes() {
    for line in [
        "it may take a second",
        "in March 2026",
        "every Friday, on Fridays, on Mondays",
        "the next version, the last commit",
        "at last",
        "this time",
        "expires in 7 days",
        "runs in 3 days",
        "in three steps",
        "in 5 minutes",
        "today's date is shown",
        "on Thursday, 2026-03-05",
        "by Friday (March 6)",
        "next Friday, 6 March",
        "Thursday 3/5",
        "`next week` is a label",
        "``a `next week` b``",
        "next-week and last_week",
        "tomorrow.rs",
        "/tomorrow/",
        "yesterday()",
        "#tomorrow",
        "over the past week",
        "Friday to Monday",
        "within two weeks",
        "two weeks of work",
        "in two weeks of work",
        "sunday school",
        "the month's end",
        "todays",
        "in 12345 days",
        "freeze tomorrow (2026-12-01)",
        "in two weeks, 2026-12-14",
        "2026-11-29 (yesterday)",
        "next week (2026-12-07 to 2026-12-13)",
        "the 'Today' tab and the \"last week\" filter",
        "never deploy on Friday",
        "always off by Friday noon",
        "on call until Friday each week",
        "no deploys on Friday afternoons",
        "the last quarter of the array",
        "grew over the last year",
        "the next quarter-final",
        "not built in a day",
    ] {
        no_dates(line);
    }
    for line in [
        "3月5日（周四）之后冻结",
        "每周四开会",
        "逢周五发布",
        "周一至周五",
        "第三周",
        "两周时间",
        "一周内",
        "下周期",
        "上周边",
        "目前天气",
        "然后天黑",
        "说明天数",
        "之后天天",
        "以前年度",
        "过去年份",
        "基本月报",
        "10 年经验",
        "10年前端经验",
        "三年后端",
        "单周五双周六",
        "三周五次",
        "5月后",
        "周年",
        "明天（2026-12-01）发布",
        "12月1日（明天）切换",
        "今年是2026年",
        "“今天”标签页",
        "令牌三十天后过期",
        "去年度报表，明年度预算",
        "年前年后",
        "眼前天空",
        "十年前后",
    ] {
        no_dates(line);
    }
}

#[test]
fn code_blocks_are_not_searched() {
    let text = "---\nname: t\ndescription: d\ntype: user\n---\n\n```\ntomorrow\n```\n~~~sh\nnext week\n~~~\nyesterday\n";
    check(text, &[(13, RelativeDate)]);
    // An open block reaches to the end.
    check(
        "---\nname: t\ndescription: d\ntype: user\n---\n\n```\ntomorrow\n",
        &[],
    );
}

#[test]
fn lines_that_are_no_prose_are_not_searched() {
    dates(
        &format!("{}tomorrow", "x ".repeat(8_000)),
        &[("tomorrow", "2026-12-01")],
    );
    no_dates(&format!("{}tomorrow", "x ".repeat(9_000)));
}

#[test]
fn name_and_description_are_searched_too() {
    check(
        "---\ndescription: freeze next week\ntype: user\nname: 下周四\n---\n\nbody tomorrow",
        &[(2, RelativeDate), (4, RelativeDate), (7, RelativeDate)],
    );
}

#[test]
fn a_finding_says_line_reason_and_suggestion() {
    let found = found(
        "---\nname: t\ndescription: d\ntype: user\n---\n\nnext Thursday\r\nmore\r\n下周四\r\n",
    );
    let texts: Vec<_> = found.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(texts.join("\n"), @r#"
    line 7: `next Thursday` means another day each time it is read; write 2026-12-10 (or 2026-12-03, if the nearer one is meant)
    line 9: `下周四` means another day each time it is read; write 2026-12-10
    "#);
    let texts: Vec<_> = self::found("text")
        .iter()
        .map(ToString::to_string)
        .collect();
    insta::assert_snapshot!(texts.join("\n"), @r#"
    line 1: the memory has no name; add `name:` with a short title
    line 1: the memory has no description, so no search will find it; add `description:` with one line that shares its words with later tasks
    line 1: the memory has none of the four types; add `type:` with user, feedback, project or reference
    "#);
    let texts: Vec<_> = self::found("---\nname: t\ndescription: d\ntype: project\n---\ntext")
        .iter()
        .map(ToString::to_string)
        .collect();
    insta::assert_snapshot!(texts.join("\n"), @r#"
    line 6: a project memory should say the reason; add a line that begins with **Why:**
    line 6: a project memory should say when it holds; add a line that begins with **How to apply:**
    "#);
}

#[test]
fn a_day_that_does_not_exist_computes_nothing_and_harms_nothing() {
    let memory = Memory::new(
        User,
        "title",
        "d",
        "next Thursday, 明天, in 9999 years, last quarter, 9999周后",
    );
    for (year, month, day) in [
        (0, 0, 0),
        (i32::MAX, 255, 255),
        (i32::MIN, 1, 1),
        (2026, 2, 30),
    ] {
        for finding in lint(&memory, Date { year, month, day }) {
            assert_eq!(finding.suggestion, "write the absolute date");
        }
    }
    for today in ["0000-01-01", "9999-12-31"] {
        assert_eq!(lint(&memory, today.parse().unwrap()).len(), 5);
    }
}

#[test]
fn findings_about_dates_are_limited() {
    let memory = Memory::new(User, "title", "d", &"tomorrow\n".repeat(5_000));
    assert_eq!(lint(&memory, TODAY).len(), 100);
}
