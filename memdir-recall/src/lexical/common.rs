//! Words that texts of the trade hold whatever they are about.
//!
//! A small directory cannot tell that `convert` and `current` are such words: there they may stand
//! in one memory only, like the name of a product.

use std::collections::HashMap;
use std::sync::LazyLock;

/// English stems that stand in one of a hundred passages of 100 words or more.
///
/// Counted over nineteen kinds of texts, each with the same say and without the two that hold the
/// stem most: manual pages, descriptions of packages, comments and notes of libraries in Rust,
/// Python and Perl, handbooks of databases, servers, editors and kernels, and a dictionary of
/// computing.
const STEMS: &str = "\
    0 1 10 100 11 12 13 14 15 16 17 2 20 24 3 32 4 5 6 64 7 8 9 abl absolut accept access accord \
    account across action activ actual ad add addit address affect algorithm alloc allow alreadi \
    altern although alway amount anoth anyth api appear append appli applic appropri arbitrari \
    architectur archiv arg argument around array ascii ask assign associ assum attach attempt \
    attribut authent author auto automat avail avoid b back backend base basic becom begin \
    behavior best better bin binari bind bit block bodi boolean bound box break buffer bug build \
    byte c cach calcul call callback caller capabl care cargo case caus certain certif chang \
    channel char charact check choic choos class clear client close cluster code collect color \
    column com combin come command comment commit common communic compar compat compil complet \
    complex compon compress comput condit conf config configur connect consid consist constant \
    constraint construct consum contain content context continu control conveni convers convert \
    copi core correct correspond count cpu crate creat cross current custom data databas date \
    debug declar decod default defin definit delet depend deprec deriv describ descript design \
    desir detail detect determin dev develop devic dictionari differ digit dir direct directori \
    disabl discuss disk display distribut doc document domain done doubl download drop ds due \
    duplic dynam e easi edit effect effici either element els embed emit empti enabl encod encrypt \
    end engin enough ensur enter entir entri environ equal equival error escap especi etc evalu \
    even event everi exact exampl except execut exist exit expand expect explain explicit export \
    express extend extens extern extra extract f fail failur fals fast faster featur fetch field \
    file filenam filesystem fill filter final find first fix flag float follow foo forc form \
    format forward free full fulli function futur general generat generic get git give global gnu \
    go good graph greater group guarante hand handl handler happen hard hardwar hash header help \
    high higher hold home host howev html http https id ident identifi ignor imag immedi implement \
    import improv includ increas independ index indic individu info inform init initi input insert \
    insid instal instanc instead instruct int integ integr intend interact interest interfac \
    intern interpret introduc invalid invok involv io ip issu item iter job json keep kernel key \
    keyword kind know label languag larg larger last later latest layer lead least leav left \
    length less level lib librari licens like limit line link linux list liter load local locat \
    lock log logic long longer look loop lot low lower ls mac machin macro mail main maintain \
    major make manag mani manipul manual map mark match max maximum may mean mechan member memori \
    merg messag metadata method might minim minimum miss mode model modifi modul move much multi \
    multipl must n name namespac nativ necessari need negat net network never new next node non \
    none normal note noth notic null number numer o object obtain occur offer offset often old \
    older omit one open oper optim option order org origin os other otherwis output outsid overrid \
    p packag page pair parallel paramet parent pars parser part partial particular pass password \
    patch path pattern per perform perl permiss permit place platform point pointer polici port \
    posit possibl post potenti power pre precis prefer prefix present prevent previous print \
    privat probabl problem proc procedur process produc product program project prompt proper \
    properti protocol provid public publish purpos put python queri queue quick quit quot r random \
    rang rather raw read readabl real realli reason receiv recent recommend record recurs reduc \
    refer regist regular relat releas remain remot remov renam repeat replac report repositori \
    repres represent request requir reserv reset resolv resourc respect respons rest restor \
    restrict result retriev return revers rfc right root routin rs rule run runtim rust safe sampl \
    save say scan schedul scope screen script search second section secur see select self send \
    separ sequenc serial server servic session set setup sever share shell short show side sign \
    signal signatur signific similar simpl simpli sinc singl site situat size skip small socket \
    softwar solut someth sometim sort sourc space special specif specifi speed split sql src stabl \
    stack standard start state statement static status std step still stop storag store str stream \
    strict string struct structur style sub subsequ success suppli support sure switch symbol sync \
    synchron syntax sys system tabl tag take target task tell temporari term termin test text \
    therefor thing third though thread three thus time togeth token tool top total trace track \
    trait transfer transform translat treat tree tri trigger true turn two type typic u under \
    unicod uniqu unit unix unknown unless unlik updat upgrad url usag use user usr usual utf util \
    v valid valu var variabl variant various vector verifi version via view virtual wait want warn \
    way web well whole whose wide window within without word work wrap wrapper write www x yet \
    zero";

/// English stems that stand in four of a thousand passages of 100 words or more, without those
/// above and without names of products.
///
/// Counted over thirteen kinds of texts, each with the same say and without the one that holds the
/// stem most: four kinds of manual pages, descriptions of packages and of programs, examples for
/// two clouds, explanations of errors, comments of libraries in Rust and Python, handbooks, and
/// change logs.
const RARER_STEMS: &str = "\
    00 01 07 1000 128 18 19 2018 2022 2024 21 22 23 25 256 29 30 31 32bit 50 60 64bit 80 abi abil \
    abort abstract acceler accur achiev act adapt addr adjust admin administr advanc agent aim \
    alia alias align almost alon along alpha alphabet alter ambigu among analysi analyz annot \
    anonym ansi answer anywher ap app approach arc arch area arm artifact aspect assembl assert \
    assumpt async asynchron atom attack attr audio auth autom averag awar away background backup \
    backward bad balanc bar batch behav behind belong beyond big blank book bool boot borrow \
    boundari branch bring browser bsd bucket buf builtin bundl bus ca cancel capac captur cast \
    catalog categori cc cd cell center central cert cfg chain chapter checker child chunk classic \
    claus clean cli clock clone closur cloud colon comma commandlin comparison compiletim compos \
    concept concurr conflict conform confus consol const constructor contact contrast convent \
    coordin cost counter cours cover cp creation credenti critic crossplatform ctx cycl daemon day \
    db dbus de deal decid decim dedic def delay delimit deliv demand demonstr deni denot deploy \
    depth descriptor desktop destin destroy diagnost diff digest discard discov distinct \
    distinguish dns dot draw driver dump durat earli earlier easier easili edg editor email emul \
    en encount endpoint enforc enhanc entiti enum enumer env eq err essenti establish eval ever \
    everyth examin exceed exchang exclud exclus exec exhaust experi experiment expir explan explor \
    expos extrem facil fact factor fall fallback famili fd figur fine finish fit five flexibl flow \
    fn focus folder font fork former four frame framework friend front frontend fs furthermor game \
    gateway goal goe grant graphic great grow guard guess gui guid half head heap helper henc hex \
    hexadecim hide hierarchi highest hint histor histori hook hostnam hour hub human iam icon idea \
    immut impl impli implicit inclus incom incompat incorrect increment indent infer infinit \
    inherit inlin inner inspect instanti instrument intent internet interrupt interv intrins invoc \
    ipv4 ipv6 iso join keyboard kill la lack lang latter launch layout learn legaci len let letter \
    libc lifetim light lightweight linear lint listen littl live login lookup lowlevel maco man \
    manpag mask master math mathemat matrix matter measur media mem mention meta metric middl \
    migrat min mind minor minut mirror mix mod modern modif monitor most mount ms mut mutabl natur \
    neither nest newer newlin nice night nonzero notat notif notifi ns num obsolet offici onlin \
    onto op opt organ orient overal overflow overlap overview overwrit own owner ownership pack \
    packet pad panic param parti past pathnam pc pdf peer pend peopl perfect period persist person \
    phase physic pi pick pid piec pipe pipelin plain plan play player plugin plus poll pool pop \
    portabl portion posix practic preced prepar preserv pretti primari primarili primit printer \
    prior prioriti privileg processor profil programm progress propag protect proxi pub pull pure \
    push pv4 pv6 py qualifi qualiti question rais rate reach reader readi readon realtim recogn \
    red ref referenc reflect regardless regex region registri reject relev reli reliabl rememb \
    render repo resid resiz resolut restart resum retain reus revis rewrit rich role round rout \
    row safeti satisfi scalar scale schema scheme secret segment semant sens seri serv sha shadow \
    shape shift ship silent simplifi simultan slash slice slight smaller snapshot snippet soft \
    solv sound spawn spec spell ssh ssl stage stand standalon stat statist stdin stdout strategi \
    strip strong subclass subdirectori subject submit subset substitut succeed suffici suffix \
    suggest suit suitabl sum summari super suppos suppress swap symlink tab talk tcp te team \
    templat think throw timeout timer timestamp titl tls topic toplevel toward tradit traffic \
    trail transit transpar transport trivial truncat trust tti tupl twice txt u8 ui uid undefin \
    understand unfortun unifi union univers unsaf unsign unspecifi unstabl unsupport unus upload \
    upon upper upstream ur uri usabl usernam utf8 v1 v2 vari varieti vec vendor verbos video \
    viewer violat visibl visual vm volum watch weight whatev whenev wherea whitespac widget width \
    wiki wildcard wish workaround workflow world wrong xml yaml year yes yield zip zone";

/// Pairs of Chinese characters that stand in four of a hundred passages of 200 pairs or more.
///
/// Counted over manual pages, handbooks and kernel documentation; what spans two words is counted
/// as it comes.
const PAIRS: &str = "\
    一个 一些 一旦 一样 一次 一种 一般 一行 一起 一部 \
    上面 下一 下列 下文 下面 不会 不可 不同 不能 不要 \
    两个 个字 个文 个新 中使 中文 中断 为一 为它 主机 \
    主要 之前 之后 之间 也不 也就 二进 交互 产生 人员 \
    仍然 代码 令行 以下 件中 件列 件包 件名 件系 任何 \
    任务 优先 会在 会有 会被 传统 传递 位于 位置 作为 \
    作系 使用 例如 例子 依赖 保存 保持 信息 修复 修改 \
    允许 共享 关于 关键 关闭 其中 其他 其它 具有 兼容 \
    内存 内容 内核 内部 册页 写入 决于 决定 况下 准备 \
    出现 函数 分区 分配 列出 列表 创建 初始 删除 到一 \
    制台 功能 加上 加载 务器 动程 包含 包括 匹配 区域 \
    升级 协议 即使 原因 参数 参考 参见 参阅 发布 发现 \
    发生 发行 发送 取决 变量 另一 另外 只有 只能 可用 \
    可能 可选 各种 同一 同时 同样 名字 名称 后一 后面 \
    否则 启动 启用 味着 命令 因为 因此 图形 在一 在内 \
    在运 在这 地址 地方 基于 基本 基础 增加 声明 处理 \
    多个 多信 多数 大多 大小 失败 如下 如果 始化 子系 \
    字段 字符 字节 存储 存在 它们 它将 安全 安装 完全 \
    完成 完整 定义 实现 实际 客户 容易 密码 对于 对应 \
    对象 导致 将会 将被 尝试 就会 尽管 属性 工作 工具 \
    已经 希望 帮助 平台 并不 并且 应用 建一 建立 建议 \
    开发 开始 引导 引用 当前 录中 形式 影响 很多 得到 \
    必要 必须 忽略 性能 恢复 情况 想要 意味 成功 户空 \
    所以 所有 手册 打印 打开 执行 扩展 找到 报告 挂载 \
    指向 指定 指针 按照 接受 接口 接收 控制 描述 提交 \
    提供 提示 搜索 操作 支持 改变 放在 数字 数据 数量 \
    整个 文件 文本 文档 方式 方法 方面 无法 日志 时间 \
    映像 映射 显示 普通 更多 更改 更新 替代 最后 最大 \
    最新 有一 有些 有关 有可 有效 有用 服务 本地 本文 \
    机制 机器 权限 来自 来说 构建 果你 果您 果没 架构 \
    某个 某些 查找 查看 查询 标准 标志 标记 根据 格式 \
    档案 检查 检测 模块 模式 正在 正常 正确 每一 每个 \
    比如 比较 没有 注意 测试 消息 添加 源代 然后 然而 \
    版本 物理 特别 特定 特性 特殊 状态 独立 环境 现在 \
    理员 理器 甚至 生成 用一 用于 用它 用户 用来 用程 \
    由于 界面 目前 目录 目标 直接 相关 相同 相应 看到 \
    知道 硬件 硬盘 确保 确定 磁盘 禁用 种情 种方 称为 \
    移动 程中 程序 稳定 空间 符串 符号 第一 第二 简单 \
    算机 管理 类似 类型 系统 组成 细节 终端 结束 结构 \
    结果 给出 给定 统上 统中 维护 缓存 编码 编译 编辑 \
    缺省 网站 网络 置为 置文 考虑 而不 而且 能会 能在 \
    能够 能被 脚本 自动 自己 自由 至少 范围 获取 获得 \
    菜单 虚拟 行为 行时 行版 补丁 表中 表示 表达 被用 \
    装程 要求 覆盖 规则 解决 解释 计算 认为 认值 记录 \
    许多 设备 设置 设计 访问 识别 详细 语言 说明 请参 \
    请求 请注 读取 调用 调试 资源 起来 跟踪 路径 转换 \
    软件 输入 输出 过程 运行 返回 还有 这一 这样 这种 \
    这里 进入 进制 进程 进行 连接 退出 适用 选择 选项 \
    通常 通用 通过 避免 那么 邮件 部分 都会 配置 里面 \
    重新 重要 针对 链接 错误 镜像 问题 阅读 限制 除非 \
    非常 页面 顺序 额外 首先 驱动 默认";

/// By what people ask, in English stems and pairs of Chinese characters, simplified and traditional.
/// It tells what is to be done with the answer, not what the question is about.
const ASKING: &str = "\
    advic advis answer better compar comparison describ descript differ exampl explain explan good \
    help know mean need pleas question recommend suggest tell think understand want way worst 么写 \
    么寫 什么 什麼 介紹 介绍 区别 區別 告訴 告诉 如何 帮我 幫我 怎么 怎样 怎樣 怎麼 意思 \
    推荐 推薦 解释 解釋 說明 説明 請問 说明 请问";

/// How much a term tells of what a text is about, whatever a directory holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// People ask by it.
    Asking,
    Common,
    FairlyCommon,
    Telling,
}

static KINDS: LazyLock<HashMap<&str, Kind>> = LazyLock::new(|| {
    let of = |list: &'static str, kind| list.split(' ').map(move |term| (term, kind));
    of(RARER_STEMS, Kind::FairlyCommon)
        .chain(of(STEMS, Kind::Common))
        .chain(of(PAIRS, Kind::Common))
        .chain(of(ASKING, Kind::Asking))
        .collect()
});

/// How much a stem or a pair of characters tells.
pub(super) fn kind(term: &str) -> Kind {
    KINDS.get(term).copied().unwrap_or(Kind::Telling)
}

#[cfg(test)]
mod tests {
    use super::super::forms::{american, base};
    use super::*;
    use crate::lexical::stems::Stems;
    use crate::lexical::text::is_pair;

    #[test]
    fn the_lists_are_sorted_and_have_nothing_twice() {
        // As the README says.
        assert_eq!(
            [STEMS, RARER_STEMS, PAIRS, ASKING].map(|list| list.split(' ').count()),
            [814, 667, 507, 54]
        );
        for list in [STEMS, RARER_STEMS, PAIRS, ASKING] {
            assert!(list.split(' ').is_sorted_by(|a, b| a < b));
        }
        assert!(
            RARER_STEMS
                .split(' ')
                .all(|stem| kind(stem) != Kind::Common)
        );
        // No text brings the stem of an irregular form or of the other spelling.
        let stems = Stems::new();
        for stem in STEMS.split(' ').chain(RARER_STEMS.split(' ')) {
            assert_eq!(american(stem), None, "{stem}");
            // `rang` is the stem of `range`, too.
            assert!(
                base(stem).is_none() || &*stems.stem("range") == stem,
                "{stem}"
            );
        }
        assert!(
            PAIRS
                .split(' ')
                .all(|pair| is_pair(pair) && pair.chars().count() == 2)
        );
    }

    #[test]
    fn words_are_common_as_their_stems() {
        let stems = Stems::new();
        for word in [
            "changing",
            "directories",
            "files",
            "running",
            "current",
            "10",
        ] {
            assert_eq!(kind(&stems.stem(word)), Kind::Common, "{word}");
        }
        for word in [
            "invoices",
            "giraffe",
            "kubernetes",
            "webhook",
            "tracker",
            "1987",
        ] {
            assert_eq!(kind(&stems.stem(word)), Kind::Telling, "{word}");
        }
        for word in ["packets", "timeouts", "rendering"] {
            assert_eq!(kind(&stems.stem(word)), Kind::FairlyCommon, "{word}");
        }
        for word in ["explaining", "recommended", "differences"] {
            assert_eq!(kind(&stems.stem(word)), Kind::Asking, "{word}");
        }
        assert_eq!(
            ["文件", "发票", "解释"].map(kind),
            [Kind::Common, Kind::Telling, Kind::Asking]
        );
    }
}
