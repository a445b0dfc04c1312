//! The places that hold credentials: by name, whatever the case of its letters.

/// Folders: nothing below them is read. `.git` holds the URLs of remotes, with their passwords.
const FOLDERS: &[&str] = &[
    ".aws",
    ".azure",
    ".docker",
    ".gcloud",
    ".git",
    ".gnupg",
    ".helm",
    ".kube",
    ".mozilla",
    ".oci",
    ".password-store",
    ".sops",
    ".ssh",
    ".terraform.d",
    ".thunderbird",
    "keychains",
    "keyrings",
];

/// Folders below `.config` that hold tokens. A search through a tree leaves out all of `.config`.
const CONFIG_FOLDERS: &[&str] = &[
    "configstore",
    "doctl",
    "gcloud",
    "gh",
    "git",
    "glab-cli",
    "github-copilot",
    "heroku",
    "hub",
    "op",
    "rclone",
    "sops",
];

/// Files by their whole name. With an extension they count too: `credentials.json`.
const FILES: &[&str] = &[
    ".authinfo",
    ".bash_history",
    ".boto",
    ".credentials",
    ".databrickscfg",
    ".dockercfg",
    ".fish_history",
    ".git-credentials",
    ".htdigest",
    ".htpasswd",
    ".msmtprc",
    ".my.cnf",
    ".mylogin.cnf",
    ".mysql_history",
    ".netrc",
    ".node_repl_history",
    ".npmrc",
    ".pgpass",
    ".psql_history",
    ".pypirc",
    ".python_history",
    ".rediscli_history",
    ".s3cfg",
    ".secrets",
    ".sqlite_history",
    ".terraformrc",
    ".vault-token",
    ".yarnrc",
    ".zsh_history",
    "_netrc",
    "application_default_credentials",
    "auth.json",
    "client_secret",
    "credentials",
    "fish_history",
    "gshadow",
    "htpasswd",
    "kubeconfig",
    "secrets",
    "service-account",
    "service_account",
    "shadow",
];

/// Files by how their name begins.
const PREFIXES: &[&str] = &[
    ".env",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "id_rsa",
    "terraform.tfstate",
];

/// Files by how their name ends.
const SUFFIXES: &[&str] = &[
    ".env",
    ".jks",
    ".kdbx",
    ".key",
    ".keystore",
    ".p12",
    ".pem",
    ".pfx",
    ".ppk",
    ".tfvars",
];

/// What may follow the name of one of [`FILES`]: a name such as `secrets.rs` is source code.
const DATA: &[&str] = &[
    "bak",
    "cfg",
    "conf",
    "csv",
    "ini",
    "json",
    "properties",
    "toml",
    "txt",
    "xml",
    "yaml",
    "yml",
];

/// The one name that is a common folder of source code: only its data files count.
const SECRETS: &str = "secrets";

/// Whether a path, given as its components, leads to or through a place of credentials.
pub(crate) fn is_secret<'a>(components: impl IntoIterator<Item = &'a str>) -> bool {
    let mut before = "";
    let mut file = "";
    for component in components {
        // Windows drops dots and spaces at the end and reads a stream behind a colon.
        let name = component.split(':').next().unwrap_or_default();
        let name = name.trim_end_matches(['.', ' ']);
        if FOLDERS
            .iter()
            .any(|folder| name.eq_ignore_ascii_case(folder))
        {
            return true;
        }
        if before.eq_ignore_ascii_case(".config")
            && CONFIG_FOLDERS
                .iter()
                .any(|folder| name.eq_ignore_ascii_case(folder))
        {
            return true;
        }
        before = name;
        file = name;
    }
    is_secret_file(file)
}

fn is_secret_file(name: &str) -> bool {
    let begins = |start: &str| {
        name.get(..start.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(start))
    };
    let ends = |end: &str| {
        name.len()
            .checked_sub(end.len())
            .and_then(|at| name.get(at..))
            .is_some_and(|tail| tail.eq_ignore_ascii_case(end))
    };
    if PREFIXES.iter().any(|start| begins(start)) || SUFFIXES.iter().any(|end| ends(end)) {
        return true;
    }
    FILES.iter().any(|file| {
        begins(file)
            && match name.as_bytes().get(file.len()) {
                None => *file != SECRETS,
                // A dotfile is one whatever follows: `.npmrc.bak`.
                Some(b'.') if file.starts_with('.') => true,
                Some(b'.') => DATA
                    .iter()
                    .any(|data| ends(data) && name.len() == file.len() + 1 + data.len()),
                Some(_) => false,
            }
    })
}

/// Globs of the names that a search through a tree leaves out: folders, then files. They cover at
/// least what [`is_secret`] refuses.
pub(crate) fn search_globs() -> (Vec<String>, Vec<String>) {
    let folders = FOLDERS
        .iter()
        .chain(&[".config"])
        .map(|name| any_case(name));
    let mut whole = Vec::new();
    for file in FILES {
        let name = any_case(file);
        if file.starts_with('.') {
            whole.push(format!("{name}.*"));
        } else {
            whole.extend(DATA.iter().map(|data| format!("{name}.{}", any_case(data))));
        }
        if *file != SECRETS {
            whole.push(name);
        }
    }
    let files = whole
        .into_iter()
        .chain(PREFIXES.iter().map(|start| any_case(start) + "*"))
        .chain(SUFFIXES.iter().map(|end| format!("*{}", any_case(end))));
    (folders.collect(), files.collect())
}

/// A glob for a name in any case: `.[eE][nN][vV]`.
fn any_case(name: &str) -> String {
    let mut glob = String::with_capacity(name.len() * 4);
    for c in name.chars() {
        if c.is_ascii_lowercase() {
            glob.push('[');
            glob.push(c);
            glob.push(c.to_ascii_uppercase());
            glob.push(']');
        } else {
            glob.push(c);
        }
    }
    glob
}
