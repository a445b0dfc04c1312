//! Reading the five layers of settings files, as far as memory is concerned.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::env::Env;
use crate::git_root::real_cwd;
use crate::read::{ReadFault, clean, read_capped};

/// 4 MiB: a larger settings file is not parsed. Our own bound; real files have kilobytes.
pub const MAX_SETTINGS_BYTES: u64 = 4 * 1024 * 1024;

/// A layer of settings, strongest first.
///
/// Deliberately exhaustive: the format has these five.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Layer {
    /// `managed-settings.json` in the managed directory: rolled out by an administrator.
    Managed,
    /// JSON text given on the command line of the host.
    Flag,
    /// `<cwd>/.claude/settings.local.json`: this checkout, not committed.
    Local,
    /// `<cwd>/.claude/settings.json`: committed, so a cloned repository brings it along.
    Project,
    /// `<config home>/settings.json`: this user, every project.
    User,
}

impl Layer {
    /// All layers, strongest first.
    pub const ALL: [Layer; 5] = [
        Layer::Managed,
        Layer::Flag,
        Layer::Local,
        Layer::Project,
        Layer::User,
    ];

    /// The word for this layer.
    pub const fn as_str(self) -> &'static str {
        match self {
            Layer::Managed => "managed",
            Layer::Flag => "flag",
            Layer::Local => "local",
            Layer::Project => "project",
            Layer::User => "user",
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a layer says about one key.
///
/// Deliberately exhaustive: a key is absent, of the right type, or of another.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Stated<T> {
    /// The layer does not have the key.
    #[default]
    Absent,
    /// The value.
    Value(T),
    /// A value of another type, as JSON of at most 80 characters.
    WrongType(String),
}

/// What one layer says.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct LayerSettings {
    /// Which layer.
    pub layer: Layer,
    /// The file it came from; `None` for [`Layer::Flag`].
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::opt_path"))]
    pub path: Option<PathBuf>,
    /// `autoMemoryDirectory`, unchecked.
    pub auto_memory_directory: Stated<String>,
    /// `autoMemoryEnabled`.
    pub auto_memory_enabled: Stated<bool>,
}

/// Something in the settings that was left out, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SettingsProblem {
    /// The layer it belongs to.
    pub layer: Layer,
    /// The file; `None` for [`Layer::Flag`], and where the place of the file is unknown.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ser::opt_path"))]
    pub path: Option<PathBuf>,
    /// What is wrong.
    pub fault: SettingsFault,
}

/// Why a settings layer, or a key of it, was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum SettingsFault {
    /// The system refused to read it; its words.
    Unreadable(String),
    /// Its place is relative, because the directory that was given is.
    RelativePath,
    /// It is larger than [`MAX_SETTINGS_BYTES`].
    TooLarge,
    /// It is a folder, a pipe or a device.
    NotAFile,
    /// It is not JSON; what the parser said.
    NotJson(String),
    /// It is JSON, but not an object.
    NotAnObject,
    /// The value of a key has another type: the key, and the value in short.
    WrongType(&'static str, String),
}

impl fmt::Display for SettingsProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} settings", self.layer)?;
        if let Some(path) = &self.path {
            write!(f, " {path:?}")?;
        }
        match &self.fault {
            SettingsFault::Unreadable(why) => write!(f, ": cannot be read: {why}"),
            SettingsFault::RelativePath => f.write_str(": expected an absolute path"),
            SettingsFault::TooLarge => write!(f, ": larger than {MAX_SETTINGS_BYTES} bytes"),
            SettingsFault::NotAFile => f.write_str(": expected a regular file"),
            SettingsFault::NotJson(why) => write!(f, ": not JSON: {why}"),
            SettingsFault::NotAnObject => f.write_str(": expected a JSON object"),
            SettingsFault::WrongType(key, value) => {
                write!(f, ": {key} has a value of the wrong type: {value}")
            }
        }
    }
}

/// What is read besides the files of every project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SettingsOptions {
    /// JSON text of [`Layer::Flag`].
    pub flag: Option<String>,
    /// Which of user, project and local are read; `None` means all three. Managed settings and
    /// the flag are always read.
    pub sources: Option<Vec<Layer>>,
}

impl SettingsOptions {
    /// Sets the JSON text of [`Layer::Flag`].
    #[must_use]
    pub fn flag(mut self, json: impl Into<String>) -> SettingsOptions {
        self.flag = Some(json.into());
        self
    }

    /// Reads only these of user, project and local.
    #[must_use]
    pub fn sources(mut self, layers: impl IntoIterator<Item = Layer>) -> SettingsOptions {
        self.sources = Some(layers.into_iter().collect());
        self
    }

    /// Does not read this one of user, project and local.
    #[must_use]
    pub fn without(mut self, layer: Layer) -> SettingsOptions {
        let mut sources = self.sources.unwrap_or_else(|| Layer::ALL.to_vec());
        sources.retain(|&known| known != layer);
        self.sources = Some(sources);
        self
    }

    fn reads(&self, layer: Layer) -> bool {
        match (layer, &self.sources) {
            (Layer::Managed | Layer::Flag, _) | (_, None) => true,
            (layer, Some(sources)) => sources.contains(&layer),
        }
    }
}

/// What each settings layer says about memory, and what could not be read.
///
/// The default says nothing: no layer, no problem.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Settings {
    /// The layers that exist and could be read, strongest first.
    pub layers: Vec<LayerSettings>,
    /// What was left out. A missing file is not a problem.
    pub problems: Vec<SettingsProblem>,
}

impl Settings {
    /// Reads all layers. Project and local settings are those of `<cwd>/.claude/`, not of the
    /// repository root. As everywhere in this crate, the working directory is taken by its real
    /// path, and a file for its folder. Never fails: what cannot be used is in
    /// [`Settings::problems`].
    pub fn read(env: &Env, cwd: &Path, options: &SettingsOptions) -> Settings {
        let mut settings = Settings::default();
        let real = real_cwd(cwd);
        // Where the system does not tell the real path, the reads below say why.
        let cwd = real.as_deref().unwrap_or(cwd);
        for layer in Layer::ALL {
            if options.reads(layer) {
                settings.read_layer(env, cwd, options, layer);
            }
        }
        settings
    }

    /// Adds a layer from JSON text, for hosts that hold settings elsewhere. Layers keep their
    /// order of strength; a layer that is there already is replaced.
    pub fn add(&mut self, layer: Layer, json: &str) {
        self.add_bytes(layer, None, json.as_bytes());
    }

    fn read_layer(&mut self, env: &Env, cwd: &Path, options: &SettingsOptions, layer: Layer) {
        let path = match layer {
            Layer::Managed => match &env.managed_dir {
                Some(dir) if dir.as_os_str().is_empty() => return,
                Some(dir) => dir.join("managed-settings.json"),
                None => return,
            },
            Layer::Flag => {
                if let Some(json) = &options.flag {
                    self.add(layer, json);
                }
                return;
            }
            Layer::Local => cwd.join(".claude").join("settings.local.json"),
            Layer::Project => {
                let path = cwd.join(".claude").join("settings.json");
                // Working in the home itself: the file is the user's own, and is read as such.
                if user_file(env, cwd).is_some_and(|user| same_file(&user, &path)) {
                    return;
                }
                path
            }
            // Without a home there are no user settings; `resolve` says so if it matters.
            Layer::User => match user_file(env, cwd) {
                Some(path) => path,
                None => return,
            },
        };
        if !path.is_absolute() {
            // Never from wherever the process happens to be.
            return self.problem(layer, Some(path), SettingsFault::RelativePath);
        }
        let fault = match read_capped(&path, MAX_SETTINGS_BYTES) {
            Ok(bytes) => return self.add_bytes(layer, Some(path), &bytes),
            Err(ReadFault::Missing) => return,
            Err(ReadFault::NotAFile) => SettingsFault::NotAFile,
            Err(ReadFault::TooLarge) => SettingsFault::TooLarge,
            Err(ReadFault::Io(e)) => SettingsFault::Unreadable(e.to_string()),
        };
        self.problem(layer, Some(path), fault);
    }

    fn add_bytes(&mut self, layer: Layer, path: Option<PathBuf>, bytes: &[u8]) {
        if bytes.len() as u64 > MAX_SETTINGS_BYTES {
            return self.problem(layer, path, SettingsFault::TooLarge);
        }
        // Editors on Windows write a byte order mark, which JSON does not know.
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let value = match serde_json::from_slice(bytes) {
            Ok(Value::Object(value)) => value,
            Ok(_) => return self.problem(layer, path, SettingsFault::NotAnObject),
            Err(e) => return self.problem(layer, path, SettingsFault::NotJson(e.to_string())),
        };
        let auto_memory_directory = match value.get("autoMemoryDirectory") {
            None => Stated::Absent,
            Some(Value::String(text)) => Stated::Value(text.clone()),
            Some(other) => Stated::WrongType(short(other)),
        };
        let auto_memory_enabled = match value.get("autoMemoryEnabled") {
            None => Stated::Absent,
            Some(Value::Bool(on)) => Stated::Value(*on),
            Some(other) => {
                let fault = SettingsFault::WrongType("autoMemoryEnabled", short(other));
                self.problem(layer, path.clone(), fault);
                Stated::WrongType(short(other))
            }
        };
        self.layers.retain(|known| known.layer != layer);
        self.layers.push(LayerSettings {
            layer,
            path,
            auto_memory_directory,
            auto_memory_enabled,
        });
        self.layers.sort_by_key(|known| known.layer);
    }

    fn problem(&mut self, layer: Layer, path: Option<PathBuf>, fault: SettingsFault) {
        self.problems.push(SettingsProblem { layer, path, fault });
    }
}

fn user_file(env: &Env, cwd: &Path) -> Option<PathBuf> {
    let home = env.config_home(cwd).ok()?;
    Some(home.join("settings.json"))
}

/// Whether two spellings name one file, also where a home is reached through a link.
fn same_file(a: &Path, b: &Path) -> bool {
    let real = |path| fs::canonicalize(path).ok();
    clean(a) == clean(b) || real(a).is_some_and(|a| real(b) == Some(a))
}

/// A JSON value in at most 80 characters, without building the text of a huge one.
fn short(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("an array of {}", items.len()),
        Value::Object(items) => format!("an object of {}", items.len()),
        Value::String(text) => format!("{:?}", text.chars().take(60).collect::<String>()),
        other => other.to_string().chars().take(80).collect(),
    }
}
