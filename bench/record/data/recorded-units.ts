import type { JournalRef } from '../../../src/domain/harness/harness'
import { incarnationKey } from '../../../src/domain/ids'
import type { Observation } from '../../../src/domain/record/observation'
import type { Store } from '../../../src/domain/store'
import { applyBatch } from '../../../src/engine/record/apply'
import { makeBatch } from '../../../src/engine/record/batch'
import { claudeCode } from '../../../src/harness/claude-code'
import { Random } from '../../common/random'
import { makeConversation } from '../conversation'

/** What one unit of work records: lines of one session, parsed. */
export interface RecordedUnit {
  ref: JournalRef
  sessionId: string
  observations: Observation[]
  events: number
}

/** Bytes of a session that units are cut from. */
const SESSION_BYTES = 700_000

/** Units of `perUnit` events each, from sessions as the CLI writes them. The same seed gives the same units. */
export function unitsOf(options: { events: number; perUnit: number; seed: number }): RecordedUnit[] {
  const random = new Random(options.seed)
  const units: RecordedUnit[] = []
  for (let left = options.events; left > 0; ) {
    const sessionId = random.uuid()
    const { main } = makeConversation(random, {
      session: sessionId,
      bytes: SESSION_BYTES * (options.perUnit / 128),
      agent: null,
    })
    const ref: JournalRef = {
      agent: 'claude-code',
      kind: 'transcript',
      path: `/${sessionId}.jsonl`,
      sessionId,
      subagentId: null,
    }
    const bytes = Buffer.from(`${main.join('\n')}\n`)
    const { observations } = claudeCode.parseLines(bytes, { ref, offset: 0 })
    for (const unit of cut(observations, Math.min(left, options.perUnit), options.perUnit)) {
      if (left <= 0) break
      units.push({ ref, sessionId, ...unit })
      left -= unit.events
    }
  }
  return units
}

/** Parts of `perUnit` events with all that is said between them. */
function cut(observations: Observation[], first: number, perUnit: number) {
  const parts: { observations: Observation[]; events: number }[] = []
  let part: Observation[] = []
  let events = 0
  for (const seen of observations) {
    if (seen.kind === 'event' && events === (parts.length === 0 ? first : perUnit)) {
      parts.push({ observations: part, events })
      part = []
      events = 0
    }
    part.push(seen)
    if (seen.kind === 'event') events++
  }
  return parts
}

/** What a unit writes: all that its lines say, or the rows of its events alone (and the session that they belong to). */
export type UnitPart = 'all' | 'events'

/** Writes each in a transaction of its own, each after the one before was acknowledged. */
export async function writeUnits(store: Store, units: RecordedUnit[], part: UnitPart = 'all'): Promise<void> {
  for (const { ref, sessionId, observations } of units) {
    const batch = makeBatch(observations, { ref, sessionId, ownFromAt: 0, source: 1 })
    await store.write(
      async (tx) => {
        const host = await tx.record.host('bench', 'bench')
        const session = await tx.record.session(ref.agent, sessionId, host)
        if (!session) throw new Error('the session was forgotten')
        const incarnation = incarnationKey(1)
        if (part === 'events') {
          await tx.record.insertEvents(
            batch.events.map(({ row }) => ({ ...row, sessionKey: session.key, incarnation })),
          )
          return
        }
        await applyBatch(tx.record, batch, {
          session: session.key,
          isNewSession: session.isNew,
          incarnation,
          grewAt: tx.now,
          malformedCount: 0,
        })
      },
      { weight: 'bulk' },
    )
  }
}
