import type { SessionId } from '../../domain/ids'
import type { JournalReads } from '../../domain/record/journal-store'

/** Bytes at the end of a file in which its last time is looked for. */
const TAIL_BYTES = 64 * 1_024

/**
 * The session's main transcript as it stood last, also when its file is gone. A conversation that went on in other places has
 * a file in each: the one whose last line is the youngest counts, among those of the machines on which it is at home, if there are any.
 *
 * @returns the incarnation's id and size; `null` = none was recorded
 */
export async function newestTranscript(
  journals: Pick<JournalReads, 'listBySession' | 'read'>,
  session: SessionId,
  own: ReadonlySet<string>,
): Promise<{ id: number; size: number } | null> {
  const all = (await journals.listBySession(session)).flatMap(({ kind, hostName, incarnations }) => {
    const newest = kind === 'transcript' ? incarnations.find(({ size }) => size > 0) : undefined
    return newest === undefined ? [] : [{ ...newest, isOwn: own.has(hostName) }]
  })
  const candidates = all.some(({ isOwn }) => isOwn) ? all.filter(({ isOwn }) => isOwn) : all
  if (candidates.length < 2) return candidates[0] ?? null
  const dated = await Promise.all(
    candidates.map(async (found) => ({ found, at: await lastTimeIn(journals, found), openedAt: found.openedAt })),
  )
  dated.sort((a, b) => compare(b.at, a.at) || compare(b.openedAt, a.openedAt))
  return dated[0]?.found ?? null
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** ISO 8601, as lines have it; empty when none has a time. */
async function lastTimeIn(journals: Pick<JournalReads, 'read'>, { id, size }: { id: number; size: number }) {
  const parts: Uint8Array[] = []
  for await (const part of journals.read(id, Math.max(0, size - TAIL_BYTES))) parts.push(part)
  const lines = Buffer.concat(parts).toString('utf8').split('\n')
  let last = ''
  for (const line of lines) {
    const time = timeOf(line)
    if (time > last) last = time
  }
  return last
}

function timeOf(line: string): string {
  try {
    const value: unknown = JSON.parse(line)
    const time = typeof value === 'object' && value !== null && 'timestamp' in value ? value.timestamp : null
    const at = typeof time === 'string' ? Date.parse(time) : Number.NaN
    return Number.isNaN(at) ? '' : new Date(at).toISOString()
  } catch {
    return ''
  }
}
