/** What agent CLIs have left on this machine, by their files' places, times and sizes: nothing of them is read. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { walkFolder } from '../../collector/folder-walk'
import type { Config } from '../../config/load'
import type { AgentHarness } from '../../domain/harness/agent-harness'
import { type Followed, followed } from '../followed'

/** One configuration folder with conversations in it. */
export interface FoundAgent {
  /** The CLI, as people call it. */
  title: string
  /** What it is called by at a terminal. */
  program: string
  /** It takes hooks: `lode setup PROGRAM`. */
  hasHooks: boolean
  folder: string
  /** Files of conversations; `null` = they are in a database. */
  sessions: number | null
  bytes: number
  /** Milliseconds; the last change of a file. */
  newestAt: number | null
  /** `false` = time was up: there are more. */
  isWhole: boolean
}

/** Looking takes no longer than this, in milliseconds: somebody waits for the screen. */
const FIRST_LOOK_MS = 700

/** Every configuration folder that is followed and has conversations, in the order of the agent CLIs. Never fails. */
export async function foundAgents(config: Pick<Config, 'agents'>, lookMs = FIRST_LOOK_MS): Promise<FoundAgent[]> {
  const until = performance.now() + lookMs
  const looks = followed(config).flatMap((each) => each.roots.map((root) => look(each, root, until)))
  return (await Promise.all(looks)).filter((each) => each !== null)
}

async function look({ harness }: Followed, root: string, until: number): Promise<FoundAgent | null> {
  if (!existsSync(root)) return null
  const { title, program, setup } = harness
  const counted =
    harness.database === undefined ? await countFiles(harness, root, until) : await lookAtDatabase(harness, root)
  return counted === null ? null : { title, program, hasHooks: setup !== null, folder: root, ...counted }
}

type Counted = Pick<FoundAgent, 'sessions' | 'bytes' | 'newestAt' | 'isWhole'>

async function countFiles(harness: AgentHarness, root: string, until: number): Promise<Counted | null> {
  const files = await harness.files()
  const counted = { sessions: 0, bytes: 0, newestAt: null as number | null, isWhole: true }
  for (const folder of files.folders)
    await walkFolder(join(root, folder), {
      isWanted: (path) => files.classify(path) !== null,
      onFile(path, { size, mtimeMs }) {
        if (files.classify(path)?.kind === 'transcript') counted.sessions++
        counted.bytes += size
        counted.newestAt = Math.max(counted.newestAt ?? 0, mtimeMs)
      },
      // The server says so when it records.
      onUnreadable: () => {},
      isStopped() {
        counted.isWhole &&= performance.now() < until
        return !counted.isWhole
      },
    })
  return counted.sessions === 0 && counted.isWhole ? null : counted
}

/** Its files: the database and what belongs to it. */
async function lookAtDatabase(harness: AgentHarness, root: string): Promise<Counted | null> {
  if (!(await harness.database?.())?.recognises(root)) return null
  const counted = { bytes: 0, newestAt: null as number | null }
  await walkFolder(root, {
    isWanted: (path) => /\.db(-wal)?$/.test(path),
    onFile(_, { size, mtimeMs }) {
      counted.bytes += size
      counted.newestAt = Math.max(counted.newestAt ?? 0, mtimeMs)
    },
    onUnreadable: () => {},
    isStopped: () => false,
  })
  return { ...counted, sessions: null, isWhole: true }
}
