import { existsSync, mkdirSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import type { CliPlace, CliState } from '../../domain/harness/harness-run'
import { isWithin } from '../../util/files/is-within'
import { gitMounts } from './git-mounts'
import { entriesOf, hidden, isFolder, type Mount } from './mounts'
import { OWN_CACHES, SECRET_PLACES } from './secret-places'
import { copyState, stateMounts } from './state-mounts'

/** The run whose files are laid out. Folders are absolute and real. */
export interface LayoutOptions {
  /** The run's working folder and its CLI's configuration folder. */
  place: CliPlace
  state: CliState
  /** The person's home folder, and Lodeline's. */
  userHome: string
  home: string
  /** A folder of the run, empty: what it writes outside of its working folder and what ends with it. */
  scratch: string
  /** What the run may see of its attempt, and where its hooks may write there. */
  runFolder: string
  hooksFolder: string
  /** Folders for temporary files, of the run's environment. */
  temporary: readonly string[]
  /** Programs that must be found, and folders of what they read. */
  programs: readonly string[]
  /** Folders that may be written as well, by the person's setting. */
  writable: readonly string[]
}

/** Sockets there lead out: to containers, buses and the person's agents. */
const SOCKETS = '/run'
/** What of it names resolve by, and where some systems have their programs. */
const OF_RUN = ['systemd/resolve', 'resolvconf', 'NetworkManager', 'current-system', 'wrappers', 'opengl-driver']

/** Why a folder can be no sandbox: it would hold what must stay out of it. `null` = it can. */
export function whyNoBox({ place, userHome, home }: Pick<LayoutOptions, 'place' | 'userHome' | 'home'>): string | null {
  if (isWithin(userHome, place.cwd)) return `its folder ${place.cwd} holds your home folder`
  if (isWithin(home, place.cwd)) return `its folder ${place.cwd} holds Lodeline's folder`
  if (isWithin(place.root, place.cwd)) return `its folder ${place.cwd} holds the settings of the agent CLI`
  return null
}

/** The files of a run's sandbox: the machine to be read, without secrets, and the run's own folders to be written. Makes folders in `scratch`. */
export function layout(options: LayoutOptions): Mount[] {
  const { place, scratch, userHome, home, runFolder, hooksFolder } = options
  const [ownHome, ownState, ownTemporary] = ['home', 'state', 'tmp'].map((name) => join(scratch, name)) as [
    string,
    string,
    string,
  ]
  for (const folder of [ownHome, ownState, ownTemporary, join(runFolder, 'told'), hooksFolder])
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const path of options.state.copied)
    if (isWithin(path, place.root)) copyState(path, join(ownState, relative(place.root, path)))
    else if (isWithin(path, userHome)) copyState(path, join(ownHome, relative(userHome, path)))
  const git = gitMounts(place.cwd)
  const isCopied = (folder: string) => (name: string) => options.state.copied.includes(join(folder, name))
  const topSecrets = new Set([...SECRET_PLACES, ...OWN_CACHES].filter((name) => !name.includes('/')))
  const isOutOfHome = (name: string) =>
    topSecrets.has(name) || isCopied(userHome)(name) || [home, place.root].includes(join(userHome, name))
  return [
    { kind: 'read', path: '/' },
    { kind: 'write', path: '/tmp', from: ownTemporary },
    { kind: 'empty', path: '/var/tmp' },
    { kind: 'empty', path: SOCKETS },
    ...OF_RUN.map((name): Mount => ({ kind: 'read', path: join(SOCKETS, name) })),
    { kind: 'write', path: userHome, from: ownHome },
    ...entriesOf(userHome, isOutOfHome),
    ...options.state.elsewhere.map((path): Mount => ({ kind: 'read', path })),
    ...hidden(SECRET_PLACES.filter((name) => name.includes('/')).map((name) => join(userHome, name))),
    ...stateMounts(
      place,
      { ...options.state, private: [...options.state.private, ...namesOf(options.state.copied, place.root)] },
      ownState,
    ),
    { kind: 'empty', path: home },
    { kind: 'read', path: runFolder },
    { kind: 'write', path: join(runFolder, 'told') },
    { kind: 'write', path: join(home, 'hooks'), from: hooksFolder },
    ...options.temporary
      .filter((path) => path !== '/tmp' && !isWithin(place.cwd, path))
      .map((path): Mount => ({ kind: 'empty', path })),
    ...options.programs.filter((path) => existsSync(path)).map((path): Mount => ({ kind: 'read', path })),
    ...(mayBeRead(git.root, options) ? [{ kind: 'read', path: git.root } as const] : []),
    { kind: 'write', path: place.cwd },
    ...git.mounts,
    ...agentSettings(git.root ?? place.cwd),
    ...options.writable.map((path): Mount => ({ kind: 'write', path })),
  ]
}

/** Whether a run may read the rest of a repository: not if it is the home folder itself that is kept in git. */
export function mayBeRead(
  root: string | null,
  { userHome, home }: Pick<LayoutOptions, 'userHome' | 'home'>,
): root is string {
  return root !== null && !isWithin(userHome, root) && !isWithin(home, root)
}

/** Settings of agents in a project: they name hooks and what needs no permission. */
export function agentSettings(project: string): Mount[] {
  const folders = ['.claude', '.codex'].map((name) => join(project, name)).filter(isFolder)
  const files = [
    '.claude/settings.json',
    '.claude/settings.local.json',
    '.mcp.json',
    '.codex/config.toml',
    '.codex/hooks.json',
  ]
  return [
    ...folders.map((path): Mount => ({ kind: 'write', path })),
    ...files.map((name): Mount => ({ kind: 'read', path: join(project, name) })),
  ]
}

const namesOf = (paths: readonly string[], folder: string): string[] =>
  paths.filter((path) => dirname(path) === folder).map((path) => basename(path))
