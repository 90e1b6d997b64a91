import { keptChoice } from './kept-choice'

/** Seconds for which an answer can be taken back. */
export const UNDO_TIMES = ['5', '10', '30', '0'] as const
type UndoTime = (typeof UNDO_TIMES)[number]

const kept = keptChoice('lodeline.undo-seconds', UNDO_TIMES)

/** For how long an answer is held back before it is sent, in milliseconds; as the person chose it. */
export const undoMs = (): number => Number(kept.read()) * 1_000

export const useUndoTime = (): [UndoTime, (seconds: UndoTime) => void] => [kept.useChoice(), kept.choose]
