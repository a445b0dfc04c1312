//! The same memories and questions in English and in Chinese.

use memdir_recall::{Query, Recall};

use crate::world::{World, files};

/// File, then description, body and question in English, then in Chinese.
const PARALLEL: [(&str, [&str; 3], [&str; 3]); 20] = [
    (
        "db.md",
        [
            "Integration tests use a real database",
            "Mocks hid a broken migration.",
            "Should I mock the database in this test?",
        ],
        [
            "集成测试要用真实数据库",
            "模拟对象曾经掩盖了一次失败的迁移。",
            "这个测试里要不要模拟数据库？",
        ],
    ),
    (
        "freeze.md",
        [
            "Merge freeze before the mobile release",
            "Nothing non-critical after Thursday.",
            "Can we still merge this before the release?",
        ],
        [
            "移动端发布前冻结合并",
            "周四之后不合并非关键改动。",
            "发布之前还能合并这个改动吗？",
        ],
    ),
    (
        "role.md",
        [
            "The user is a data scientist",
            "Looks into logging and observability.",
            "What does the user work as, a scientist?",
        ],
        [
            "用户是数据科学家",
            "正在研究日志和可观测性。",
            "用户的职业是科学家吗？",
        ],
    ),
    (
        "tracker.md",
        [
            "Pipeline bugs are tracked in the INGEST board",
            "Look there first.",
            "Where are pipeline bugs tracked?",
        ],
        [
            "流水线的缺陷记录在 INGEST 看板",
            "先去那里看。",
            "流水线的缺陷记录在哪里？",
        ],
    ),
    (
        "terse.md",
        [
            "Answers should be terse, no closing summary",
            "The diff speaks for itself.",
            "Should I end with a summary of the diff?",
        ],
        [
            "回答要简短，结尾不要总结",
            "差异本身已经说明问题。",
            "结尾需要总结一下差异吗？",
        ],
    ),
    (
        "latency.md",
        [
            "Dashboard for request latency of the on-call team",
            "Check it when touching request paths.",
            "Which dashboard shows the latency?",
        ],
        [
            "值班团队查看请求延迟的仪表盘",
            "改动请求路径时要检查它。",
            "哪个仪表盘能看延迟？",
        ],
    ),
    (
        "auth.md",
        [
            "The auth rewrite is driven by compliance",
            "Legal objected to how session tokens are stored.",
            "Why do we rewrite the session token storage?",
        ],
        [
            "认证重写是合规要求",
            "法务不同意会话令牌的存储方式。",
            "为什么要重写会话令牌的存储？",
        ],
    ),
    (
        "bundled.md",
        [
            "One bundled pull request is preferred for refactors",
            "Splitting it would be churn.",
            "Should the refactor be one pull request or several?",
        ],
        [
            "重构时偏好一个完整的合并请求",
            "拆开只会增加麻烦。",
            "重构要拆成几个合并请求吗？",
        ],
    ),
    (
        "retry.md",
        [
            "Payment calls are retried at most three times",
            "Backoff is exponential.",
            "How often is a payment retried?",
        ],
        [
            "支付调用最多重试三次",
            "退避时间按指数增长。",
            "支付失败会重试几次？",
        ],
    ),
    (
        "cache.md",
        [
            "The cache must be warmed after each deploy",
            "Otherwise the first users wait.",
            "What about the cache after a deploy?",
        ],
        [
            "每次部署之后要预热缓存",
            "不然第一批用户要等待。",
            "部署之后缓存要怎么处理？",
        ],
    ),
    (
        "naming.md",
        [
            "Tables are named in the singular",
            "Columns in snake case.",
            "Are table names singular or plural?",
        ],
        [
            "数据表用单数命名",
            "列名用下划线。",
            "表的命名用单数还是复数？",
        ],
    ),
    (
        "locale.md",
        [
            "Dates are shown in the locale of the customer",
            "Stored in UTC.",
            "In which locale are dates shown to a customer?",
        ],
        [
            "日期按客户所在地区显示",
            "存储用协调世界时。",
            "给客户显示日期用哪个地区的格式？",
        ],
    ),
    (
        "budget.md",
        [
            "The cloud budget ends in March",
            "Ask finance for more.",
            "How long does the cloud budget last?",
        ],
        [
            "云服务预算到三月为止",
            "不够时找财务。",
            "云服务的预算能用到什么时候？",
        ],
    ),
    (
        "editor.md",
        [
            "The user edits with Helix and dislikes mouse hints",
            "Keyboard only.",
            "Should I describe mouse clicks in the editor?",
        ],
        [
            "用户用 Helix 编辑器，不喜欢鼠标操作的提示",
            "只用键盘。",
            "要不要说明编辑器里的鼠标操作？",
        ],
    ),
    (
        "flaky.md",
        [
            "The upload test is flaky on Mondays",
            "The storage runs its backup then.",
            "Why does the upload test fail?",
        ],
        [
            "上传测试每逢周一不稳定",
            "那时存储在做备份。",
            "上传测试为什么会失败？",
        ],
    ),
    (
        "license.md",
        [
            "No dependency under a copyleft license",
            "Legal checks every new one.",
            "May I add a dependency with a copyleft license?",
        ],
        [
            "不允许使用传染性许可证的依赖",
            "法务会检查每个新依赖。",
            "可以增加带传染性许可证的依赖吗？",
        ],
    ),
    (
        "queue.md",
        [
            "Messages of the queue are delivered twice sometimes",
            "Handlers have to be idempotent.",
            "Can a queue message be delivered twice?",
        ],
        [
            "队列消息有时会投递两次",
            "处理程序必须幂等。",
            "队列里的消息会投递两次吗？",
        ],
    ),
    (
        "review.md",
        [
            "Security changes need two reviewers",
            "One of them from the platform team.",
            "How many reviewers does a security change need?",
        ],
        [
            "安全相关的改动需要两位评审人",
            "其中一位来自平台团队。",
            "安全改动需要几位评审人？",
        ],
    ),
    (
        "search.md",
        [
            "Search results are cached for ten minutes",
            "Stale entries are fine.",
            "For how long are search results cached?",
        ],
        [
            "搜索结果缓存十分钟",
            "旧一点没有关系。",
            "搜索结果会缓存多久？",
        ],
    ),
    (
        "colors.md",
        [
            "The brand color is teal, not blue",
            "Design complained about it.",
            "Which brand color do we use?",
        ],
        [
            "品牌色是青色，不是蓝色",
            "设计团队提过意见。",
            "我们的品牌色是哪种颜色？",
        ],
    ),
];

/// Questions to which no memory has an answer, in both languages.
const FOREIGN: [[&str; 2]; 10] = [
    ["What should I cook tonight?", "今晚做什么菜？"],
    [
        "How tall is the highest mountain of Europe?",
        "欧洲最高的山有多高？",
    ],
    ["Explain how bees make honey", "蜜蜂怎样酿蜜？"],
    ["Recommend a novel about the sea", "推荐一本关于大海的小说"],
    ["How do I water orchids in winter?", "冬天怎么给兰花浇水？"],
    ["Who won the world cup?", "世界杯谁赢了？"],
    ["Plan a weekend in Lisbon", "安排一个里斯本的周末"],
    ["Why do cats purr?", "猫为什么打呼噜？"],
    ["Give me a recipe for bread", "给我一个面包的做法"],
    ["Is it going to rain tomorrow?", "明天会下雨吗？"],
];

fn world(language: usize) -> World {
    let world = World::new();
    for (file, english, chinese) in PARALLEL {
        let [description, body, _] = [english, chinese][language];
        world.memory(file, "project", description, body);
    }
    world
}

/// Every memory in both languages.
fn both() -> World {
    let both = world(0);
    for (file, _, [description, body, _]) in PARALLEL {
        both.memory(&format!("zh-{file}"), "project", description, body);
    }
    both
}

/// How many questions have their memory first, and how many among the five.
fn score(recall: &Recall, language: usize) -> (usize, usize) {
    let (mut first, mut found) = (0, 0);
    for (file, english, chinese) in PARALLEL {
        let picked = recall.pick(&Query::new([english, chinese][language][2]));
        let files = files(&picked);
        first += usize::from(files.first() == Some(&file));
        found += usize::from(files.contains(&file));
    }
    (first, found)
}

#[test]
fn chinese_is_found_as_well_as_english() {
    let english = score(&world(0).recall(), 0);
    let chinese = score(&world(1).recall(), 1);
    assert!(english.0 >= 18 && english.1 == 20, "{english:?}");
    assert!(
        chinese.0 >= english.0 && chinese.1 >= english.1,
        "{chinese:?} {english:?}"
    );
}

#[test]
fn memories_in_both_languages_do_not_get_in_each_others_way() {
    let recall = both().recall();
    for (file, english, chinese) in PARALLEL {
        let english = recall.pick(&Query::new(english[2]));
        assert!(files(&english).contains(&file), "{}", english.receipt);
        let chinese = recall.pick(&Query::new(chinese[2]));
        let file = format!("zh-{file}");
        assert!(
            files(&chinese).contains(&file.as_str()),
            "{}",
            chinese.receipt
        );
    }
}

#[test]
fn both_languages_are_silent_about_other_things() {
    for language in 0..2 {
        let recall = world(language).recall();
        for questions in FOREIGN {
            let picked = recall.pick(&Query::new(questions[language]));
            // The world of the world cup is that of coordinated universal time.
            let found: &[&str] = match questions[language] {
                "世界杯谁赢了？" => &["locale.md"],
                _ => &[],
            };
            assert_eq!(files(&picked), found, "{}", picked.receipt);
        }
    }
}

#[test]
fn questions_in_one_language_find_memories_in_the_other() {
    for language in 0..2 {
        let recall = world(1 - language).recall();
        let (first, found) = score(&recall, language);
        assert!(
            first >= [19, 20][language] && found >= [19, 20][language],
            "{language}: {first} {found}"
        );
    }
}

#[test]
fn questions_in_one_language_find_memories_in_both() {
    let recall = both().recall();
    for language in 0..2 {
        let mut found = 0;
        for (file, english, chinese) in PARALLEL {
            let picked = recall.pick(&Query::new([english, chinese][language][2]));
            let other = [format!("zh-{file}"), file.to_owned()][language].clone();
            found += usize::from(files(&picked).contains(&other.as_str()));
        }
        assert!(found >= 19, "{language}: {found}");
    }
}

#[test]
fn both_languages_are_silent_in_the_other_one_too() {
    for language in 0..2 {
        let recall = world(1 - language).recall();
        for questions in FOREIGN {
            let picked = recall.pick(&Query::new(questions[language]));
            assert_eq!(files(&picked), [""; 0], "{}", picked.receipt);
        }
    }
}

/// What a question finds among memories that are given by their descriptions.
#[track_caller]
fn finds(memories: &[&str], question: &str, wanted: &[&str]) {
    let world = World::new();
    for (number, description) in memories.iter().enumerate() {
        let body = ["Seen in March.", "三月见过。"][usize::from(!description.is_ascii())];
        world.memory(&format!("{number}.md"), "project", description, body);
    }
    let picked = world.recall().pick(&Query::new(question));
    let found: Vec<&str> = files(&picked)
        .iter()
        .filter_map(|file| file.strip_suffix(".md")?.parse::<usize>().ok())
        .map(|number| memories[number])
        .collect();
    assert_eq!(found, wanted, "{question}: {}", picked.receipt);
}

#[test]
fn words_of_the_trade_cross_the_languages() {
    let chinese = [
        "数据库的测试",
        "部署之后预热缓存",
        "队列消息会投递两次",
        "支付最多重试三次",
        "每周五冻结合并",
        "负责人偏好简短的回答",
    ];
    finds(&chinese, "database tests", &chinese[..1]);
    finds(&chinese, "the cache and the deploy", &chinese[1..2]);
    finds(&chinese, "retry of a payment", &chinese[3..4]);
    finds(&chinese, "Do we freeze merges on Friday?", &chinese[4..5]);
    finds(
        &chinese,
        "Does the owner prefer brief answers?",
        &chinese[5..],
    );
    let keys = ["表的主键是编号", "部署之后预热缓存", "每周五冻结合并"];
    finds(
        &keys,
        "Which key of the table is its primary key?",
        &keys[..1],
    );
    // The parts of an unknown word do not stand beside the last one.
    let tests = ["单元测试覆盖率", "A test of the load", "每周五冻结合并"];
    let world = World::new();
    for (file, description) in ["a.md", "b.md", "c.md"].into_iter().zip(tests) {
        world.memory(file, "project", description, "x");
    }
    let receipt = world
        .recall()
        .pick(&Query::new("test the testload unit"))
        .receipt;
    let matched = receipt.candidates.iter().flat_map(|c| &c.matched);
    assert!(matched.clone().any(|term| **term == *"load"), "{receipt}");
    assert!(
        matched.clone().all(|term| **term != *"单元测试"),
        "{receipt}"
    );
    let english = [
        "Tests of the database",
        "Warm the cache after each deployment",
        "Messages of the queue come twice",
        "Payments are retried three times",
        "Merges are frozen each Friday",
        "The owner prefers brief answers",
    ];
    finds(&english, "数据库测试", &english[..1]);
    finds(&english, "部署之后的缓存", &english[1..2]);
    finds(&english, "队列消息", &english[2..3]);
    finds(&english, "星期五还能合并吗", &english[4..5]);
    finds(&english, "负责人喜欢简短的回答吗", &english[5..]);
}

#[test]
fn traditional_characters_are_known_too() {
    let english = ["The database server", "The printer of the office"];
    finds(&english, "資料庫在哪個伺服器上", &english[..1]);
    finds(&english, "辦公室的印表機", &english[1..]);
    let traditional = ["資料庫在伺服器上", "辦公室的印表機"];
    finds(
        &traditional,
        "Where is the database server?",
        &traditional[..1],
    );
    finds(&traditional, "the office printer", &traditional[1..]);
    // The two ways to write one word find each other if the directory knows but one of them.
    finds(&traditional, "办公室", &traditional[1..]);
    finds(&["办公室在三楼", "打印机坏了"], "辦公室", &["办公室在三楼"]);
}

#[test]
fn a_word_is_not_found_by_a_piece_of_its_counterpart() {
    // `数据库` is a database, `数据` is data, and a librarian works in neither.
    finds(&["用户是数据科学家", "书库在二楼"], "Which database?", &[]);
    finds(&["The user is a data scientist"], "数据库", &[]);
    // Of two names in the question, the longer one is meant.
    finds(&["The file is large"], "文件系统", &[]);
    finds(
        &["A file system of our own"],
        "文件系统",
        &["A file system of our own"],
    );
    finds(&["Our key is on the table"], "主键", &[]);
}

#[test]
fn the_other_script_is_not_asked_for_words_that_it_has_no_name_for() {
    // Neither `giraffe` nor `zanzibar` is in any glossary, and no Chinese memory could hold them.
    let chinese = ["部署之后预热缓存", "每周五冻结合并", "品牌色是青色"];
    let question = "the deployment cache for giraffes in Zanzibar";
    finds(&chinese, question, &chinese[..1]);
    let evidence = |memory: &str| {
        let world = World::new();
        world.memory("a.md", "project", memory, "");
        world.memory("b.md", "project", "x", "");
        let picked = world.recall().pick(&Query::new(question));
        picked.receipt.candidates[0].evidence
    };
    // In English they could stand, and their absence counts in full: a word that is found there
    // says twice as much, but of a longer question.
    assert!(evidence("部署缓存") * 2 > evidence("deployment cache"));
}

#[test]
fn saying_it_in_both_languages_says_it_once() {
    let evidence = |question: &str| {
        let picked = world(0).recall().pick(&Query::new(question));
        let candidates = picked.receipt.candidates;
        let found = candidates.iter().find(|found| found.file == "queue.md");
        found.map(|found| found.score)
    };
    assert_eq!(evidence("queue"), evidence("queue 队列"));
    assert_eq!(evidence("database queue"), evidence("db database queue"));
}

#[test]
fn scripts_may_be_mixed() {
    let chinese = world(1).recall();
    let find = |question: &str| {
        let picked = chinese.pick(&Query::new(question));
        files(&picked).first().map(|file| (*file).to_owned())
    };
    assert_eq!(find("INGEST看板在哪里").as_deref(), Some("tracker.md"));
    assert_eq!(find("Helix编辑器").as_deref(), Some("editor.md"));
    assert_eq!(find("ｈｅｌｉｘ").as_deref(), Some("editor.md"));
}

#[test]
fn a_name_is_known_in_the_other_language_by_what_is_rare_in_it() {
    for memories in [90, 120] {
        let world = World::new();
        for at in 0..memories {
            world.memory(
                &format!("n{at}.md"),
                "project",
                "y",
                &format!("Key zeta{at} omega{at}."),
            );
        }
        world.memory("pk.md", "project", "y", "The primary key is composite.");
        let picked = world.recall().pick(&Query::new("主键"));
        assert_eq!(files(&picked), ["pk.md"], "{memories}: {}", picked.receipt);
        assert_eq!(
            *picked.receipt.candidates[0].matched,
            ["primary_key".into()]
        );
    }
}
