import type { AgentFile } from '../agent'
import type { ToldWindow } from '../budget/usage-window'
import type { LineContent } from '../conversation/line-content'
import type { AgentName } from '../ids'
import type { Harness } from './harness'
import type { HarnessDatabase } from './harness-database'
import type { HarnessFiles } from './harness-files'
import type { HarnessHooks } from './harness-hooks'
import type { HarnessLive, HarnessPresence, TranscriptCheck } from './harness-live'
import type { HarnessRun } from './harness-run'
import type { HarnessSetup } from './harness-setup'
import type { HarnessTranslation } from './translation'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * All that the product asks of one agent CLI: the port that a folder below `src/harness` implements, and that a line of
 * `src/harness/registry.ts` enters. A call loads what is heavy. A part that is `null` is one that the CLI does not have: the caller reports
 * that, or does without.
 */
export interface AgentHarness {
  /** Also names its settings: `agents.<name>.homes`. */
  readonly name: AgentName
  /** As people call the CLI. */
  readonly title: string
  /** What it is called by at a terminal, where its path is not known. */
  readonly program: string
  /** The configuration folder that the CLI uses in an environment. */
  root(env: Environment): string
  /** What makes the CLI use this configuration folder. */
  rootEnvironment(root: string): Record<string, string>
  /** Where its files are, and which they are. */
  files(): Promise<HarnessFiles>
  /** How its database becomes files that are followed. Absent = it writes such files itself. */
  readonly database?: () => Promise<HarnessDatabase>
  /**
   * Makes of a journal that is recorded the document from which the CLI takes the conversation back; `null` = it holds none. Absent = the CLI
   * goes on from the recorded files themselves.
   */
  readonly importable?: () => Promise<(journal: Uint8Array) => Uint8Array | null>
  /** How its files are read. */
  read(): Promise<Harness>
  /** What its lines and tools say to a person. */
  readonly words: HarnessLines
  /** How its conversations are rewritten for other CLIs, and theirs for it. `null` = not at all. */
  readonly translation: (() => Promise<HarnessTranslation>) | null
  /**
   * Conversations of other CLIs can be written for it: `translation` has a writer, and `run` takes back what it writes. Said here so that
   * who only lists CLIs need not load them.
   */
  readonly takesTranslations: boolean
  /** How it is run. `null` = it is recorded only. */
  readonly run: (() => Promise<HarnessRun>) | null
  /** Which of its processes hold conversations. `null` = it does not tell. */
  readonly presence: (() => Promise<HarnessPresence>) | null
  /** How conversations that nobody of ours runs are reached. `null` = not at all: what is for them waits. */
  readonly live: (() => Promise<HarnessLive>) | null
  /** What its transcripts say of texts that were put in. Hooks ask it within milliseconds: it is there at once. */
  readonly transcript: TranscriptCheck | null
  /** What its hooks report, and how they answer. `null` = it has none that we know. */
  readonly hooks: (() => Promise<HarnessHooks>) | null
  /** How hooks get into its settings. `null` = it has none that we know. */
  readonly setup: (() => Promise<HarnessSetup>) | null
  /** What the CLI's files say last of the windows of a subscription. Absent = they say nothing. */
  readonly usageWindows?: () => Promise<(root: string) => { told: ToldWindow[]; at: number } | null>
  /** Files by which a project describes agents to the CLI. `null` = it has none. */
  readonly agentFiles: (() => Promise<HarnessAgentFiles>) | null
}

/** Reads lines of transcripts, which only the harness of their agent CLI can. Never fails. */
export interface HarnessLines {
  /** What a person reads of a transcript's line, uncut. `null` = nothing. */
  textOf(line: Uint8Array): Promise<string | null>
  /**
   * What a line holds, whole: at most `CONTENT_BYTES` of JSON. Bytes that are no record come back as they are; those beyond
   * `PARSED_LINE_BYTES + 1` are not looked at.
   */
  contentOf(line: Uint8Array): Promise<LineContent>
  /** Tools by which the agent asks a person: its session waits until they are answered. */
  askingTools(): Promise<ReadonlySet<string>>
}

/** Files of a project that describe agents. */
export interface HarnessAgentFiles {
  /** Below a project's folder; files end in `.md`. */
  readonly folder: string
  /** @param file  its path. Pure; never throws */
  parse(text: string, file: string): AgentFile
}
