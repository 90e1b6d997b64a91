import type { SessionSignals } from '../../domain/session/session-store'

/** The columns of `sessions` that tell whether one is alive. */
export interface SignalColumns {
  activity: SessionSignals['activity']
  activity_at: number | null
  activity_evidence: string | null
  ended_at: number | null
  end_reason: string | null
  process_id: number | null
  process_state: SessionSignals['processState']
  process_at: number | null
  file_grew_at: number | null
  last_event_at: number | null
}

const NAMES = [
  'activity',
  'activity_at',
  'activity_evidence',
  'ended_at',
  'end_reason',
  'process_id',
  'process_state',
  'process_at',
  'file_grew_at',
  'last_event_at',
] as const satisfies (keyof SignalColumns)[]

/** They, of the table `s`, for a select. Its other columns must have other names. */
export const SIGNALS = NAMES.map((name) => `s.${name} as ${name}`).join(', ')

export const signalsOf = (row: SignalColumns): SessionSignals => ({
  activity: row.activity,
  activityAt: whole(row.activity_at),
  activityEvidence: row.activity_evidence,
  endedAt: whole(row.ended_at),
  endReason: row.end_reason,
  processId: whole(row.process_id),
  processState: row.process_state,
  processAt: whole(row.process_at),
  fileGrewAt: whole(row.file_grew_at),
  lastEventAt: whole(row.last_event_at),
})

const whole = (value: number | null): number | null => (value === null ? null : Number(value))
