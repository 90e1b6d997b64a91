import { cpSync, mkdirSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type SessionId, sessionId } from '../../../src/domain/ids'
import { until } from '../../lab/until'
import type { Ground } from './world-ground'

const fixtures = resolve(import.meta.dir, '../../fixtures/claude-code/transcripts/2.1.328')

/** Conversations of the real CLI that took it long: some killed and gone on, forked, steered in the middle of a turn. */
export const RECORDING_NAMES = [
  'killed-and-resumed',
  'forked',
  'steer-mid-turn',
  'compact-manual',
  'background-agent',
  'background-shell',
] as const
export type RecordingName = (typeof RECORDING_NAMES)[number]

/** Puts the recordings where the CLI would have, so that the collector finds and records them. */
export async function addRecordings({ claude, client }: Ground): Promise<Record<RecordingName, SessionId>> {
  const folder = join(claude.claudeRoot, 'projects/-home-user-project')
  mkdirSync(folder, { recursive: true })
  const ids = RECORDING_NAMES.map((name): [RecordingName, SessionId] => {
    const file = readdirSync(join(fixtures, name)).find((entry) => entry.endsWith('.jsonl')) ?? ''
    cpSync(join(fixtures, name), folder, { recursive: true })
    return [name, sessionId(file.slice(0, -'.jsonl'.length))]
  })
  for (const [name, id] of ids)
    await until(`the recording ${name}`, async () => (await client.sessions.get(id).catch(() => null)) !== null)
  return Object.fromEntries(ids) as Record<RecordingName, SessionId>
}
