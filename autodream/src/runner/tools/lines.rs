//! Lines of a file of any size, with bounded memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Take};
use std::path::Path;

/// 64 MiB: what lies behind is not looked at. A transcript that is larger is searched by a
/// program instead.
pub(super) const MAX_SCANNED_BYTES: u64 = 64 << 20;
/// 1 MiB: the rest of a longer line is not looked at.
pub(super) const MAX_LINE_BYTES: usize = 1 << 20;

/// Reads a file line by line.
pub(super) struct Lines {
    reader: BufReader<Take<File>>,
    size: u64,
    line: Vec<u8>,
}

impl Lines {
    /// Opens a file.
    pub(super) fn open(path: &Path) -> Result<Lines, String> {
        let file = File::open(path).map_err(|error| explain(path, &error))?;
        let meta = file.metadata().map_err(|error| explain(path, &error))?;
        if meta.is_dir() {
            return Err(format!(
                "{} is a folder; list it with LS or Glob",
                super::shown(path)
            ));
        }
        if !meta.is_file() {
            return Err(format!("{} is no file", super::shown(path)));
        }
        Ok(Lines {
            reader: BufReader::with_capacity(64 << 10, file.take(MAX_SCANNED_BYTES)),
            size: meta.len(),
            line: Vec::new(),
        })
    }

    /// Whether the file is larger than what is looked at.
    pub(super) fn is_cut(&self) -> bool {
        self.size > MAX_SCANNED_BYTES
    }

    /// Whether a NUL stands near its start, as in no text.
    pub(super) fn is_binary(&mut self) -> io::Result<bool> {
        Ok(self.reader.fill_buf()?.contains(&0))
    }

    /// The next line without its end, at most [`MAX_LINE_BYTES`] of it; `None` behind the last.
    pub(super) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        self.line.clear();
        let mut is_any = false;
        loop {
            let chunk = match self.reader.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if chunk.is_empty() {
                break;
            }
            is_any = true;
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let part = &chunk[..end.unwrap_or(chunk.len())];
            let room = MAX_LINE_BYTES - self.line.len();
            self.line.extend_from_slice(&part[..part.len().min(room)]);
            let used = end.map_or(chunk.len(), |end| end + 1);
            self.reader.consume(used);
            if end.is_some() {
                break;
            }
        }
        if self.line.last() == Some(&b'\r') {
            self.line.pop();
        }
        Ok(is_any.then_some(self.line.as_slice()))
    }
}

/// An error of the system in words that a model can act on.
pub(super) fn explain(path: &Path, error: &io::Error) -> String {
    let path = super::shown(path);
    match error.kind() {
        io::ErrorKind::NotFound => format!("{path} does not exist"),
        io::ErrorKind::PermissionDenied => format!("{path} may not be opened"),
        io::ErrorKind::IsADirectory => format!("{path} is a folder"),
        kind => format!("{path}: {kind}"),
    }
}
