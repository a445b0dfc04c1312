//! Words of the trade that stand for each other: short and long forms, Chinese and English.
//!
//! General synonyms are left out on purpose: in a directory of memories `show` and `print` are
//! seldom the same thing, and tests with thousands of queries lost by them.

/// Each line is one thing under several names. Entries in Chinese are found as parts of a run.
const GROUPS: [&[&str]; 96] = [
    &["database", "db", "数据库"],
    &["test", "测试"],
    &["deploy", "部署"],
    &["release", "发布", "上线"],
    &["config", "configuration", "配置"],
    &["settings", "设置"],
    &["repository", "repo", "仓库"],
    &["authentication", "auth", "认证", "鉴权"],
    &["login", "登录"],
    &["permission", "权限"],
    &["password", "密码"],
    &["secret", "密钥"],
    &["token", "令牌"],
    &["environment", "env", "环境"],
    &["production", "prod", "生产"],
    &["staging", "预发"],
    &["development", "dev", "开发"],
    &["dependency", "deps", "依赖"],
    &["documentation", "docs", "文档"],
    &["kubernetes", "k8s"],
    &["javascript", "js"],
    &["typescript", "ts"],
    &["python", "py"],
    &["postgres", "postgresql", "pg"],
    &["internationalization", "i18n", "国际化"],
    &["accessibility", "a11y", "无障碍"],
    &["performance", "perf", "性能"],
    &["latency", "延迟"],
    &["cache", "缓存"],
    &["queue", "队列"],
    &["message", "消息"],
    &["log", "日志"],
    &["logging", "日志"],
    &["monitoring", "监控"],
    &["alert", "告警", "报警"],
    &["dashboard", "看板", "仪表盘"],
    &["metric", "指标"],
    &["error", "错误", "报错"],
    &["exception", "异常"],
    &["bug", "缺陷"],
    &["fix", "修复"],
    &["incident", "事故", "故障"],
    &["outage", "故障"],
    &["rollback", "回滚"],
    &["migration", "迁移"],
    &["backup", "备份"],
    &["restore", "恢复"],
    &["branch", "分支"],
    &["merge", "合并"],
    &["freeze", "冻结"],
    &["commit", "提交"],
    &["review", "评审", "审查"],
    &["refactor", "重构"],
    &["build", "构建", "编译"],
    &["compile", "编译"],
    &["pipeline", "流水线"],
    &["ci", "持续集成"],
    &["interface", "接口"],
    &["api", "接口"],
    &["service", "服务"],
    &["server", "服务器"],
    &["client", "客户端"],
    &["frontend", "前端"],
    &["backend", "后端"],
    &["mobile", "移动端"],
    &["page", "页面"],
    &["component", "组件"],
    &["module", "模块"],
    &["function", "函数"],
    &["variable", "变量"],
    &["type", "类型"],
    &["naming", "命名"],
    &["style", "风格"],
    &["format", "格式"],
    &["comment", "注释"],
    &["code", "代码"],
    &["architecture", "架构"],
    &["design", "设计"],
    &["requirement", "需求"],
    &["deadline", "截止", "期限"],
    &["schedule", "排期", "计划"],
    &["user", "用户"],
    &["customer", "客户"],
    &["team", "团队"],
    &["project", "项目"],
    &["payment", "支付"],
    &["order", "订单"],
    &["billing", "账单", "计费"],
    &["search", "搜索"],
    &["timeout", "超时"],
    &["retry", "重试"],
    &["concurrency", "并发"],
    &["lock", "锁"],
    &["thread", "线程"],
    &["memory", "内存", "记忆"],
    &["security", "安全"],
];

/// A word of the query, and what else it is called.
pub(crate) struct Found<'q> {
    /// The terms of the query that it is made of.
    pub(crate) own: Vec<&'q str>,
    pub(crate) others: Vec<&'static str>,
}

/// What a query names that has other names. `terms` are the query's terms: stems and pairs.
pub(crate) fn lookup<'q>(query: &'q str, terms: &'q [String]) -> Vec<Found<'q>> {
    let mut found = Vec::new();
    for group in GROUPS {
        for (at, name) in group.iter().enumerate() {
            let own: Vec<&str> = if name.is_ascii() {
                // Stems are beginnings, nearly always; the shorter of the two is long enough.
                (terms.iter().map(String::as_str))
                    .filter(|term| is_stem_of(term, name))
                    .collect()
            } else if query.contains(name) {
                terms
                    .iter()
                    .map(String::as_str)
                    .filter(|term| name.contains(term))
                    .collect()
            } else {
                continue;
            };
            if own.is_empty() {
                continue;
            }
            let others = group.iter().enumerate().filter(|(other, _)| *other != at);
            found.push(Found {
                own,
                others: others.map(|(_, other)| *other).collect(),
            });
        }
    }
    found
}

fn is_stem_of(term: &str, name: &str) -> bool {
    term == name || term.len() >= 4 && name.starts_with(term) && name.len() - term.len() <= 5
}
