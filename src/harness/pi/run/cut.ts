import { pi } from '../index'

/**
 * Cuts a session's file after the model's last finished answer: what a child may be given of a conversation that is still going on. The
 * CLI goes on from the last entry of a file, so what is kept ends on the branch that was gone on with.
 *
 * @returns `null` when no answer is finished. `lastUuid` is that of the event of the last entry kept
 */
export function cutAtLastTurn(transcript: Uint8Array): { bytes: Uint8Array; lastUuid: string } | null {
  const ref = { agent: 'pi', kind: 'transcript', path: '', sessionId: '', subagentId: null } as const
  const { observations } = pi.parseLines(transcript, { ref, offset: 0 })
  const last = observations.findLast((seen) => seen.kind === 'event' && seen.isFinal === true)
  if (last?.kind !== 'event') return null
  const end = transcript.indexOf(10, last.offset + last.length) + 1
  return { bytes: transcript.slice(0, end), lastUuid: last.uuid }
}
