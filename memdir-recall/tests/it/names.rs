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
