//! What a memory is called: its name, and its file name if that says something else.

use memdir_recall::Query;

use crate::words::finds;
use crate::world::World;

fn named(memories: &[(&str, &str)]) -> World {
    let world = World::new();
    for (file, name) in memories {
        let text = format!("---\nname: {name}\ndescription: y\ntype: feedback\n---\n\nZebras.\n");
        world.write(file, text).set_age(file, 0);
    }
    world
}

#[test]
fn a_name_is_found_whatever_letters_the_file_name_has() {
    let memories = [
        ("feedback_start_server.md", "Art"),
        ("recipes.md", "IP"),
        ("notes_realdatabases.md", "Real databases"),
        ("real_data.md", "Surrealdata"),
        ("feedback_data.md", "数据库"),
        ("getUser.md", "get user"),
        ("time_out_handling.md", "Time-out"),
    ];
    let recall = named(&memories).recall();
    for (query, file) in [
        ("art", "feedback_start_server.md"),
        ("start server", "feedback_start_server.md"),
        ("IP", "recipes.md"),
        ("recipes", "recipes.md"),
        ("real databases", "notes_realdatabases.md"),
        ("realdatabases", "notes_realdatabases.md"),
        ("real data", "real_data.md"),
        ("surrealdata", "real_data.md"),
        ("数据库", "feedback_data.md"),
        ("getUser", "getUser.md"),
        ("timeout", "time_out_handling.md"),
        ("handling", "time_out_handling.md"),
    ] {
        finds(&recall, query, file);
    }
}

#[test]
fn the_type_in_a_file_name_is_no_word() {
    let recall = named(&[
        ("feedback_okapi.md", "x y"),
        ("team/feedback_zebu.md", "x y"),
    ])
    .recall();
    for query in ["feedback", "feedback okapi zebu"] {
        let receipt = recall.pick(&Query::new(query)).receipt;
        for candidate in &receipt.candidates {
            assert!(!candidate.matched.contains(&"feedback".into()), "{receipt}");
        }
    }
    finds(&recall, "okapi", "feedback_okapi.md");
    finds(&recall, "zebu", "team/feedback_zebu.md");
}

#[test]
fn what_the_best_have_in_common_is_not_their_type() {
    let words = |from: usize, step: usize| -> String {
        (1..6)
            .map(|n| format!("w{}q ", from * n * n * step % 61))
            .collect()
    };
    let orders = |prefix: &str| -> Vec<String> {
        let world = World::new();
        for at in 0..300 {
            let (file, about) = (format!("{prefix}n{at:03}.md"), words(at, 7));
            let header = format!("name: n{at:03}\ndescription: {about}\ntype: feedback");
            let text = format!("---\n{header}\n---\n\n{}\n", words(at, 13));
            world.write(&file, text).set_age(&file, 0);
        }
        let recall = world.recall();
        let found = (0..20).flat_map(|at| {
            let query = Query::new(&format!("w{}q w{}q", at, at * 3));
            recall.pick(&query).receipt.candidates
        });
        found
            .map(|c| c.file.trim_start_matches(prefix).to_owned())
            .collect()
    };
    assert_eq!(orders("feedback_"), orders(""));
}

#[test]
fn a_word_is_found_however_its_parts_are_written() {
    let spellings = "OAuth GitHub MySQL macOS iPhone gRPC Wi-Fi roll-back e-commerce VSCode X-ray \
                     LaTeX CI-CD set-up e-mail PostgreSQL JavaScript web-hook pre-commit getUser";
    for spelling in spellings.split(' ') {
        let plain = spelling.to_lowercase().replace('-', "");
        let (name, body) = (format!("The {plain}"), format!("How we use {plain} here."));
        let others: Vec<String> = (0..99)
            .map(|at| format!("violins and pepper {at}"))
            .collect();
        for others in [0, 99].map(|count| &others[..count]) {
            let world = World::new();
            for (at, other) in others.iter().enumerate() {
                let text =
                    format!("---\nname: n{at}\ndescription: y\ntype: user\n---\n\n{other}\n");
                world.write(&format!("n{at}.md"), text);
            }
            for (file, name, body) in [("name.md", &*name, "y"), ("body.md", "y", &*body)] {
                let text =
                    format!("---\nname: {name}\ndescription: y\ntype: user\n---\n\n{body}\n");
                world.write(file, text);
            }
            let recall = world.recall();
            let found = |query: &str| {
                let picked = recall.pick(&Query::new(query));
                let mut files: Vec<String> = picked.memories.into_iter().map(|m| m.file).collect();
                files.sort_unstable();
                (files, picked.receipt)
            };
            let (files, receipt) = found(spelling);
            assert_eq!(files, found(&plain).0, "{receipt}");
            assert_eq!(files, ["body.md", "name.md"], "{receipt}");
            let (files, receipt) = found(&format!("the {spelling} token"));
            assert_eq!(files, found(&format!("the {plain} token")).0, "{receipt}");
        }
    }
}

#[test]
fn the_whole_word_comes_before_its_parts() {
    let world = named(&[("a.md", "hub"), ("b.md", "git"), ("c.md", "github")]);
    world
        .set_age("a.md", 1)
        .set_age("b.md", 2)
        .set_age("c.md", 3);
    let picked = world.recall().pick(&Query::new("GitHub"));
    assert_eq!(picked.memories[0].file, "c.md", "{}", picked.receipt);
}

#[test]
fn a_file_name_may_be_one_word() {
    let world = named(&[
        ("to-do.md", "List"),
        ("getUserName.md", "How to get user name"),
    ]);
    world
        .write("how-to.md", "Zebras.\n")
        .write("time-out.md", "Zebras.\n");
    let recall = world.recall();
    for (query, file) in [
        ("to-do", "to-do.md"),
        ("todo", "to-do.md"),
        ("howto", "how-to.md"),
        ("how-to", "how-to.md"),
        ("timeout", "time-out.md"),
        ("time-out", "time-out.md"),
        ("getusername", "getUserName.md"),
    ] {
        finds(&recall, query, file);
    }
}
