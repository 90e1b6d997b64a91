/**
 * Files by which a run could act after it has ended, or as somebody else: rules in the format of `worker.deny` that hold for every run,
 * whatever `worker.allow` and the run's permission mode say.
 */
export const PROTECTED_FILES: readonly string[] = [
  // Hooks, filters and aliases run with the person's next use of git.
  'Edit(**/.git/**)',
  'Edit(~/.gitconfig)',
  'Edit(~/.config/git/**)',
  // Every new shell runs them.
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.profile'].map(ofHome),
  ...['.zshrc', '.zshenv', '.zprofile', '.zlogin', '.zlogout', '.config/fish/**'].map(ofHome),
  // Settings of agent CLIs name hooks, and what needs no permission.
  'Edit(**/.claude/settings*)',
  'Edit(~/.claude.json)',
  ...['config.toml', 'hooks.json'].map((name) => `Edit(**/.codex/${name})`),
  'Edit(**/.pi/**)',
  'Read(~/.pi/agent/auth.json)',
  ...['config.json', 'settings.json', 'mcp-config.json', 'hooks/**'].map((name) => `Edit(**/.copilot/${name})`),
  ...['.opencode/**', 'opencode.json', 'opencode.jsonc'].map((name) => `Edit(**/${name})`),
  'Edit(~/.config/opencode/**)',
  'Read(~/.local/share/opencode/auth.json)',
  'Edit(~/.ssh/**)',
  'Read(~/.ssh/**)',
]

/** Rules that keep runs away from these files and folders. */
export const keepAway = (paths: readonly string[]): string[] =>
  paths.flatMap((path) => [path, `${path}/**`]).flatMap((path) => [`Edit(${path})`, `Read(${path})`])

function ofHome(name: string): string {
  return `Edit(~/${name})`
}
