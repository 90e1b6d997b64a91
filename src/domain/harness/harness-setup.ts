import type { ListedTool } from './listed-tool'

type Environment = Readonly<Record<string, string | undefined>>

/** How our hooks get into an agent CLI's settings, and out of them. Looks at the disk, and writes where it says so. */
export interface HarnessSetup {
  /** The user's own settings. */
  userFile(env: Environment, cwd: string): string
  /** Those of a project: shared with others, or of this machine alone. `null` = the CLI has none. */
  projectFile(root: string, isLocal: boolean): string | null
  /** The release of the CLI; `null` = there is none, or it does not say. */
  cliVersion(executable: string | null, env: Environment): string | null
  /**
   * The rows for a release.
   *
   * @param lode  the program as one shell word, with the options that every call has
   * @param version  `null` = not known: only what every release knows
   * @param wakes  hooks that wait, too: they wake an idle conversation for what it waits for
   */
  rows(lode: string, version: string | null, wakes?: boolean): HookRow[]
  /**
   * Puts our rows into the file; what is there already is left where it is. Twice is harmless.
   *
   * @throws `invalid` `too_large` `storage_readonly` `storage_full` `conflict`; the file is then as it was
   */
  setUp(options: SetupOptions): Promise<SetupOutcome>
  /** Takes our rows out. @throws as `setUp` */
  takeDown(options: Pick<SetupOptions, 'home' | 'path' | 'isDryRun' | 'cli'>): Promise<SetupOutcome>
  /** The files that were set up from this folder of Lodeline and were not taken down since: of the user and of projects. */
  filesSetUp(home: string): string[]
  /** Words after the CLI's name that take our plugin out of it; empty where it is not installed. */
  pluginRemoval(env: Environment, cwd: string): string[][]
  /** What stands in the file. Changes nothing. */
  check(
    options: Pick<SetupOptions, 'path' | 'lode' | 'version' | 'wakes' | 'mcp' | 'cli' | 'tools'>,
  ): Promise<SetupCheck>
  /** What a person has to know of the CLI and its to-do tools; `null` = nothing. */
  note(version: string | null, hasTodoTools: boolean, env: Environment): string | null
}

/** A hook of ours as it stands in the settings. */
export interface HookRow {
  event: string
  matcher?: string
  command: string
}

export interface SetupOptions {
  /** Lodeline's folder: backups and notes go there. */
  home: string
  /** The file of settings, absolute. */
  path: string
  /** The program as a shell word with the options of every call. */
  lode: string
  /** The CLI's version; `null` = not known. */
  version: string | null
  /** Hooks that wait to wake an idle conversation, too. */
  wakes?: boolean
  /** `on` sets the switch that gives newer models their to-do tools, `off` takes it out; `null` leaves it as it is. */
  todoTools: 'on' | 'off' | null
  /** Put our line into the CLI's status line; one that is there stays beside it. */
  statusline?: boolean
  /** Lodeline's tools too, where the CLI's MCP servers stand in a file of its own; those that are there are brought up to date. */
  mcp?: boolean
  isDryRun: boolean
  cli: SetupCli
  /** Lodeline's tools for a person's session, for a CLI whose own file has to name them. */
  tools(): Promise<readonly ListedTool[]>
}

/** How the CLI itself is asked, where only it can say or store something. */
export interface SetupCli {
  /** The path in the settings; `null` = the one on `PATH`. */
  executable: string | null
  env: Environment
  cwd: string
}

export interface SetupOutcome {
  file: string
  /** Rows that the file gets. */
  added: HookRow[]
  /** Rows of ours that it loses: of another place or version of the program. */
  removed: HookRow[]
  addedTodoTools: boolean
  removedTodoTools: boolean
  /** Our line was put into the CLI's status line, or taken out of it. */
  addedStatusline: boolean
  removedStatusline: boolean
  /** Rows that the CLI must trust first: it skips them otherwise. Empty where a CLI trusts what stands in its settings. */
  trusted: HookRow[]
  isChanged: boolean
  /** Where the file as it was is kept. */
  backup: string | null
  /** The files as they were and as they become; absent = the CLI's own rows say all. */
  changes?: FileChange[]
}

/** A file that is changed, whole. */
export interface FileChange {
  path: string
  /** '' = there is none. */
  before: string
  /** `null` = it goes. */
  after: string | null
}

/** The outcome of a set-up for a CLI that has neither a switch for to-do tools nor a status line, and trusts its settings. */
export const HOOKS_ALONE: Pick<
  SetupOutcome,
  'addedTodoTools' | 'removedTodoTools' | 'addedStatusline' | 'removedStatusline' | 'trusted'
> = { addedTodoTools: false, removedTodoTools: false, addedStatusline: false, removedStatusline: false, trusted: [] }

export interface SetupCheck {
  file: string
  installed: HookRow[]
  missing: HookRow[]
  /** Rows of another place or version of the program. */
  outdated: HookRow[]
  /** Rows that are there and that the CLI skips, as nobody told it to trust them. */
  untrusted: HookRow[]
  disablesHooks: boolean
  /** The command of the CLI's status line, where it is ours; `null` = it is not. */
  statusline: string | null
  /** The value of the switch for to-do tools; `null` = not set. */
  todoTools: string | null
}

/** What a check finds in the settings of such a CLI beside rows. */
export const NOTHING_BESIDE: Pick<SetupCheck, 'untrusted' | 'statusline' | 'todoTools'> = {
  untrusted: [],
  statusline: null,
  todoTools: null,
}
