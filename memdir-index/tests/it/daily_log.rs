//! The daily log: the person's day, one line, one write.

use std::fs;
use std::time::{Duration, SystemTime};

use memdir_index::{ErrorKind, Prompt, Store, Time, local_date_time, prompt};
use memdir_paths::{Date, MemoryDir};

use crate::world::{World, text};

fn date(year: i32, month: u8, day: u8) -> Date {
    Date { year, month, day }
}

fn at(hour: u8, minute: u8) -> Time {
    Time::new(hour, minute).unwrap()
}

#[track_caller]
fn local(seconds: i64, offset: i32, expected: &str) {
    let epoch = SystemTime::UNIX_EPOCH;
    let span = Duration::from_secs(seconds.unsigned_abs());
    let now = if seconds < 0 {
        epoch.checked_sub(span)
    } else {
        epoch.checked_add(span)
    };
    let (date, time) = local_date_time(now.unwrap(), offset);
    assert_eq!(
        format!("{:04}-{:02}-{:02} {time}", date.year, date.month, date.day),
        expected
    );
}

#[test]
fn the_day_is_that_of_the_person_and_not_of_utc() {
    // 2026-04-11T19:53Z.
    local(1_775_937_180, 0, "2026-04-11 19:53");
    local(1_775_937_180, 8 * 3_600, "2026-04-12 03:53");
    local(1_775_937_180, -20 * 3_600, "2026-04-10 23:53");
    local(1_775_937_180, 5 * 3_600 + 45 * 60, "2026-04-12 01:38");

    let world = World::new();
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_775_937_180);
    let (date, time) = local_date_time(now, 8 * 3_600);
    let path = world
        .store()
        .append_log(date, time, text("met the team"))
        .unwrap();
    assert_eq!(path, world.path("logs/2026/04/2026-04-12.md"));
    assert_eq!(
        world.read("logs/2026/04/2026-04-12.md"),
        "- 03:53 met the team\n"
    );
}

#[test]
fn calendar_edges() {
    local(0, 0, "1970-01-01 00:00");
    local(-1, 0, "1969-12-31 23:59");
    local(951_782_400, 0, "2000-02-29 00:00");
    local(1_709_164_800, 0, "2024-02-29 00:00");
    local(1_740_700_800, 0, "2025-02-28 00:00");
    local(4_107_542_400, 0, "2100-03-01 00:00");
    local(253_402_300_799, 0, "9999-12-31 23:59");
    local(253_402_300_800, 3_600, "9999-12-31 23:59");
    local(-62_167_219_200, -60, "0000-01-01 00:00");
    local(i64::MAX / 2, i32::MAX, "9999-12-31 23:59");
}

#[test]
fn an_entry_after_midnight_goes_to_the_new_day_while_the_prompt_stays() {
    let world = World::new();
    let dir = MemoryDir::new(world.dir());
    let store = world.store();
    let before = prompt(&Prompt::daily_log(&dir));
    store
        .append_log(date(2026, 4, 11), at(23, 50), text("late"))
        .unwrap();
    store
        .append_log(date(2026, 4, 12), at(0, 10), text("later"))
        .unwrap();
    assert_eq!(world.read("logs/2026/04/2026-04-11.md"), "- 23:50 late\n");
    assert_eq!(world.read("logs/2026/04/2026-04-12.md"), "- 00:10 later\n");
    let after = prompt(&Prompt::daily_log(&dir));
    assert_eq!(before, after);
    assert!(after.contains("logs/YYYY/MM/YYYY-MM-DD.md") && !after.contains("2026-04"));
}

#[test]
fn the_log_is_only_appended_to() {
    let world = World::new();
    world.write("logs/2026/04/2026-04-11.md", "# by hand\nno line end");
    let store = world.store();
    store
        .append_log(date(2026, 4, 11), at(9, 5), text("a\r\nb\u{2028}c\td"))
        .unwrap();
    store
        .append_log(date(2026, 4, 11), at(9, 6), text(""))
        .unwrap();
    assert_eq!(
        world.read("logs/2026/04/2026-04-11.md"),
        "# by hand\nno line end\n- 09:05 a b c d\n- 09:06\n"
    );
}

#[test]
fn threads_that_append_at_once_tear_no_line() {
    let world = World::new();
    let (threads, lines) = (4, 50);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let store = world.store();
            scope.spawn(move || {
                for n in 0..lines {
                    let entry = format!("{thread}-{n} {}", "x".repeat(n * 40));
                    store
                        .append_log(date(2026, 1, 2), at(1, 2), text(&entry))
                        .unwrap();
                }
            });
        }
    });
    let log = world.read("logs/2026/01/2026-01-02.md");
    let mut seen: Vec<&str> = log.lines().collect();
    seen.sort_unstable();
    let mut expected: Vec<String> = (0..threads)
        .flat_map(|t| {
            (0..lines).map(move |n| {
                format!("- 01:02 {t}-{n} {}", "x".repeat(n * 40))
                    .trim_end()
                    .to_owned()
            })
        })
        .collect();
    expected.sort_unstable();
    assert_eq!(seen, expected);
}

#[test]
fn what_is_no_place_or_no_line_is_refused() {
    let world = World::new();
    let missing = Store::open(world.outside("missing")).unwrap();
    let append = |store: &Store, entry: &str| {
        store
            .append_log(date(2026, 1, 2), at(1, 2), text(entry))
            .map_err(|e| e.kind().clone())
    };
    assert_eq!(append(&missing, "x").unwrap_err(), ErrorKind::NoDirectory);
    let long = append(&world.store(), &"x".repeat(100_000)).unwrap_err();
    assert!(
        matches!(long, ErrorKind::TooLarge { limit: 65_536, .. }),
        "{long:?}"
    );
    fs::create_dir_all(world.path("logs/2026/01/2026-01-02.md")).unwrap();
    assert!(append(&world.store(), "x").is_err());
    assert!(Time::new(24, 0).is_none() && Time::new(0, 60).is_none());
}

#[cfg(unix)]
#[test]
fn a_log_that_leads_out_is_refused() {
    use std::os::unix::fs::symlink;
    let world = World::new();
    let outside = world.outside("outside");
    fs::create_dir(&outside).unwrap();
    symlink(&outside, world.path("logs")).unwrap();
    let append = || {
        world
            .store()
            .append_log(date(2026, 1, 2), at(1, 2), text("x"))
    };
    assert_eq!(*append().unwrap_err().kind(), ErrorKind::LeadsOut);
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    fs::remove_file(world.path("logs")).unwrap();
    fs::create_dir_all(world.path("logs/2026/01")).unwrap();
    let victim = outside.join("victim.md");
    fs::write(&victim, "mine").unwrap();
    symlink(&victim, world.path("logs/2026/01/2026-01-02.md")).unwrap();
    assert_eq!(*append().unwrap_err().kind(), ErrorKind::LeadsOut);
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
}
