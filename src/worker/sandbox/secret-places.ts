/**
 * Of a person's home folder, what a sandboxed run does not see: keys, logins, other agents' and browsers' profiles, and what was typed in
 * shells.
 */
export const SECRET_PLACES: readonly string[] = [
  '.ssh',
  '.gnupg',
  '.pki',
  '.password-store',
  '.netrc',
  '.git-credentials',
  '.config/git/credentials',
  '.config/gh',
  '.config/hub',
  '.config/glab-cli',
  '.config/op',
  // Clouds, clusters and databases.
  '.aws',
  '.azure',
  '.config/gcloud',
  '.config/doctl',
  '.kube',
  '.docker',
  '.terraform.d',
  '.terraformrc',
  '.vault-token',
  '.databrickscfg',
  '.pgpass',
  '.my.cnf',
  // Package registries.
  '.npmrc',
  '.yarnrc.yml',
  '.pypirc',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.gem/credentials',
  '.m2/settings.xml',
  '.gradle/gradle.properties',
  // Browsers, mail, key rings.
  '.mozilla',
  '.thunderbird',
  '.config/google-chrome',
  '.config/chromium',
  '.config/BraveSoftware',
  '.config/microsoft-edge',
  '.config/vivaldi',
  '.config/opera',
  '.local/share/keyrings',
  '.local/share/kwalletd',
  'snap',
  '.var',
  // Other agents.
  '.codex',
  '.gemini',
  '.config/github-copilot',
  // What was typed.
  '.bash_history',
  '.zsh_history',
  '.python_history',
  '.psql_history',
  '.node_repl_history',
]

/** Caches of tools: a run has its own, empty at its start. */
export const OWN_CACHES: readonly string[] = ['.cache', '.npm']
