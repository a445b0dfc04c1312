//! Memories, index and rule header as people publish them: read, given back, and linted.

use memdir_types::{Date, LintRule, Memory, MemoryType, lint, parse_header};

use LintRule::{MissingHowToApply, MissingWhy, RelativeDate};
use MemoryType::{Feedback, Project, Reference, User};

const BACKGROUND: &str = "---
name: 用户背景
description: 10年 Go 经验，首次接触 React
type: user
---

用户是有 10 年经验的 Go 后端工程师，首次接触 React。
解释前端概念时用后端类比（如 useEffect ≈ goroutine 的 defer）。
";

const NO_MOCKS: &str = "---
name: 测试不要用 mock
description: 集成测试必须连真实数据库
type: feedback
---

集成测试必须连真实数据库，不用 mock。

**Why:** 上个季度 mock 测试全过但 prod migration 失败了。
**How to apply:** 写测试时如果涉及数据库操作，始终连接测试库。
";

const AUTH: &str = "---
name: Auth 重写动机
description: auth 中间件重写是法务合规驱动的
type: project
---

auth 中间件重写是法务/合规要求——session token 存储不符合新规。
这不是技术债务清理。范围决策应优先考虑合规性而非开发便利。

**Why:** 法务在 Q1 安全审计中标记了这个问题。
**How to apply:** 涉及 auth 相关决策时，合规优先于 DX。
";

const BOARD: &str = "---
name: 值班告警看板
description: Grafana API 延迟面板
type: reference
---

grafana.internal/d/api-latency 是值班盯的延迟面板。
改请求路径相关代码时要注意这个。
";

const EXPERIENCE: &str = "---
name: user_experience_level
description: 用户是资深 Go 开发者，首次接触 React
type: user
---

深度 Go 经验，但 React 是新手。
解释前端概念时，用后端类比帮助理解。
";

const PR_STYLE: &str = "---
name: feedback_pr_style
description: 用户偏好单个打包 PR
type: feedback
---

**规则**：这个领域的重构，用户偏好一个打包 PR 而不是多个小 PR。

**Why**：之前我选了分拆方案，用户确认「这次是对的选择，分拆只会增加无谓的消耗」——经过验证的判断。

**How to apply**：面对这个区域的 refactor 任务时，倾向单个打包 PR。
";

const FREEZE: &str = "---
name: project_merge_freeze
description: 3月5日后移动团队将切断 release 分支
type: project
---

**事实**：3月5日（周四）之后冻结所有非关键 merge。

**Why**：移动团队要切 release 分支。

**How to apply**：标记在此日期之后安排的非关键 PR 工作。
";

const PIPELINE: &str = "---
name: ref_pipeline_bugs
description: pipeline bugs 在 Linear 项目 INGEST 追踪
type: reference
---

pipeline bugs 在 Linear 项目「INGEST」追踪。
查看这里获取上下文。
";

/// Its body ends with a rule, which closes nothing.
const SUMMARY_STYLE: &str = "---
name: feedback_summary_style
description: 用户不想在结尾看到总结
type: feedback
---

用户希望回复简洁，不要在结尾重复总结工作内容。
可以直接给出结论。
---
";

const TEMPLATE: &str = "---
name: {{memory name}}
description: {{one-line description — 用于未来判断相关性}}
type: {{user, feedback, project, reference}}
---

{{memory content — feedback/project 类型建议包含 **Why:** 和 **How to apply:** 行}}
";

/// Reads as a sound memory, comes back byte for byte, and lints like this.
#[track_caller]
fn check(text: &str, name: &str, description: &str, kind: MemoryType, lints: &[(usize, LintRule)]) {
    for text in [text.to_owned(), text.replace('\n', "\r\n")] {
        let memory = Memory::parse(&text);
        assert_eq!(memory.render(), text);
        assert_eq!(
            (memory.name(), memory.description(), memory.kind()),
            (Some(name), Some(description), Some(kind))
        );
        assert!(memory.warnings().is_empty() && !memory.is_recovered());
        let today = Date::new(2026, 11, 30).unwrap();
        let found: Vec<_> = lint(&memory, today)
            .iter()
            .map(|l| (l.line, l.rule))
            .collect();
        assert_eq!(found, lints);
        let header = parse_header(&text);
        assert_eq!(header.name.as_deref(), Some(name));
        assert_eq!(header.kind, Some(kind));
    }
}

#[test]
fn user_memories() {
    check(
        BACKGROUND,
        "用户背景",
        "10年 Go 经验，首次接触 React",
        User,
        &[],
    );
    check(
        EXPERIENCE,
        "user_experience_level",
        "用户是资深 Go 开发者，首次接触 React",
        User,
        &[],
    );
}

#[test]
fn feedback_memories() {
    // "Last quarter" is another quarter in a year.
    check(
        NO_MOCKS,
        "测试不要用 mock",
        "集成测试必须连真实数据库",
        Feedback,
        &[(9, RelativeDate)],
    );
    check(
        PR_STYLE,
        "feedback_pr_style",
        "用户偏好单个打包 PR",
        Feedback,
        &[],
    );
    check(
        SUMMARY_STYLE,
        "feedback_summary_style",
        "用户不想在结尾看到总结",
        Feedback,
        &[(7, MissingWhy), (7, MissingHowToApply)],
    );
    assert!(Memory::parse(SUMMARY_STYLE).body().ends_with("。\n---\n"));
}

#[test]
fn project_memories() {
    check(
        AUTH,
        "Auth 重写动机",
        "auth 中间件重写是法务合规驱动的",
        Project,
        &[],
    );
    // The weekday stands beside its date.
    check(
        FREEZE,
        "project_merge_freeze",
        "3月5日后移动团队将切断 release 分支",
        Project,
        &[],
    );
}

#[test]
fn reference_memories() {
    check(
        BOARD,
        "值班告警看板",
        "Grafana API 延迟面板",
        Reference,
        &[],
    );
    check(
        PIPELINE,
        "ref_pipeline_bugs",
        "pipeline bugs 在 Linear 项目 INGEST 追踪",
        Reference,
        &[],
    );
}

#[test]
fn a_template_with_placeholders() {
    let memory = Memory::parse(TEMPLATE);
    assert_eq!(memory.render(), TEMPLATE);
    assert_eq!(memory.name(), Some("{{memory name}}"));
    assert_eq!(
        memory.description(),
        Some("{{one-line description — 用于未来判断相关性}}")
    );
    assert_eq!(
        (memory.kind(), memory.kind_text()),
        (None, Some("{{user, feedback, project, reference}}"))
    );
    let found: Vec<_> = lint(&memory, Date::new(2026, 11, 30).unwrap())
        .iter()
        .map(|l| (l.line, l.rule))
        .collect();
    assert_eq!(found, [(4, LintRule::MissingType)]);
    // Filled in key by key, once it is repaired.
    let mut memory = memory;
    if memory.is_recovered() {
        memory.repair().unwrap();
    }
    memory.set_name("title").unwrap();
    memory.set_kind(User).unwrap();
    assert_eq!((memory.name(), memory.kind()), (Some("title"), Some(User)));
    assert_eq!(memory.body(), Memory::parse(TEMPLATE).body());
}

#[test]
fn an_index_is_no_memory_and_is_left_alone() {
    for text in [
        "- [用户角色](user_role.md) — 10 年 Go 经验，首次接触 React
- [测试规范](feedback_testing.md) — 集成测试必须连真实数据库
- [Auth 重写](project_deadline.md) — 法务合规驱动，Q2 截止
",
        "- [Title](file.md) — one-line hook\n",
        "- [用户不喜欢总结](feedback_summary_style.md) — 简洁直接\n",
    ] {
        let memory = Memory::parse(text);
        assert_eq!((memory.render().as_str(), memory.body()), (text, text));
        assert!(!memory.has_frontmatter() && memory.warnings().is_empty());
    }
}

#[test]
fn a_rule_header_is_a_block_without_our_keys() {
    let text =
        "---\npaths: \"src/**/*.ts, !src/node_modules/**\"\n---\nTypeScript 文件的编码规范...\n";
    let mut memory = Memory::parse(text);
    assert_eq!(memory.render(), text);
    assert!(memory.has_frontmatter() && !memory.is_recovered());
    assert_eq!(
        (memory.name(), memory.kind(), memory.warnings().len()),
        (None, None, 0)
    );
    memory.set_kind(Reference).unwrap();
    assert!(
        memory
            .render()
            .starts_with("---\npaths: \"src/**/*.ts, !src/node_modules/**\"\ntype: reference\n")
    );
}
