import { keptChoice } from './kept-choice'

/** Choices for how long a move can be undone, in seconds. */
export const UNDO_TIMES = ['5', '10', '30', '0'] as const
type UndoTime = (typeof UNDO_TIMES)[number]

const kept = keptChoice('lodeline.undo-seconds', UNDO_TIMES)

/** How long a move is held before it is sent, as the person chose. Milliseconds. */
export const undoMs = (): number => Number(kept.read()) * 1_000

/** The chosen undo time in seconds, and a function that changes it. */
export const useUndoTime = (): [UndoTime, (seconds: UndoTime) => void] => [kept.useChoice(), kept.choose]
