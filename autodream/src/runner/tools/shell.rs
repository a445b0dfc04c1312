//! Bash: hands the judged script to the executor, and its output to the model.

use super::{Context, Outcome};
use crate::Script;
use crate::runner::execute::ExecuteEnd;

pub(super) fn run(context: &Context<'_>, script: &Script) -> Outcome {
    let output = context.executor.run(script, &context.limits);
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.stderr.is_empty() {
        end_line(&mut text);
        text.push_str(&String::from_utf8_lossy(&output.stderr));
    }
    // Cut here, so that how it ended stands behind it.
    super::bound(&mut text, context.result_bytes.saturating_sub(200));
    let (note, is_error) = match &output.end {
        ExecuteEnd::Exited { status: 0 } if text.is_empty() => ("[no output]".to_owned(), false),
        ExecuteEnd::Exited { status: 0 } => return Outcome::good(text),
        // Also what a search answers that found nothing.
        ExecuteEnd::Exited { status } => (format!("[exit status {status}]"), false),
        ExecuteEnd::TimedOut => (
            format!(
                "[stopped after {} seconds; look at less]",
                context.limits.time.as_secs()
            ),
            true,
        ),
        ExecuteEnd::TooMuchOutput => (
            "[stopped: too much output; narrow it, for example with `head`]".to_owned(),
            true,
        ),
        ExecuteEnd::NotRun { why } => (format!("[not run: {why}]"), true),
    };
    end_line(&mut text);
    text.push_str(&note);
    Outcome { text, is_error }
}

fn end_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}
