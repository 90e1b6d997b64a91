import { workerUrl } from '../own-workers'
import type { Runs } from './colour-kinds'
import type { Language } from './languages'

/** Each block is coloured by itself, as a text that begins there. */
export interface ColourQuestion {
  language: Language
  blocks: readonly (readonly string[])[]
}
export interface ColourAnswer {
  blocks: readonly (readonly Runs[])[]
}

/** A question that takes longer is given up: what it is about stays plain. Rules of languages are expressions, and some never end. */
const PATIENCE_MS = 5_000
/** Workers that could not be loaded, after which none is asked for again: a newer server no longer has this page's file. */
const MAX_FAILURES = 3

interface Waiting {
  question: ColourQuestion
  size: number
  tell(answer: ColourAnswer | null): void
}

const waiting: Waiting[] = []
let asked: Waiting | null = null
let worker: Worker | null = null
let isReady = false
let patience: ReturnType<typeof setTimeout> | undefined
let failures = 0

/**
 * Has code coloured by the worker, one question at a time, small ones first.
 *
 * @param tell  gets `null` for what stays plain
 * @returns takes the question back while it waits
 */
export function askColours(question: ColourQuestion, tell: Waiting['tell']): () => void {
  const size = question.blocks.reduce((sum, lines) => sum + lines.length, 0)
  const one: Waiting = { question, size, tell }
  waiting.push(one)
  next()
  return () => {
    const at = waiting.indexOf(one)
    if (at >= 0) waiting.splice(at, 1)
    else if (asked === one) one.tell = () => {}
  }
}

function next(): void {
  if (asked !== null || waiting.length === 0) return
  if (failures >= MAX_FAILURES) {
    for (const { tell } of waiting.splice(0)) tell(null)
    return
  }
  worker ??= started()
  if (!isReady) return
  const smallest = waiting.reduce((least, one) => (one.size < least.size ? one : least))
  waiting.splice(waiting.indexOf(smallest), 1)
  asked = smallest
  patience = setTimeout(giveUp, PATIENCE_MS)
  worker.postMessage(smallest.question)
}

function started(): Worker {
  const one = new Worker(workerUrl('code'))
  one.onmessage = ({ data }: MessageEvent<ColourAnswer | 'ready'>) => {
    if (data === 'ready') {
      isReady = true
      failures = 0
      next()
    } else done(data)
  }
  one.onerror = (event) => {
    event.preventDefault()
    // A worker that was ready could not colour this one text.
    if (!isReady) failures++
    giveUp()
  }
  return one
}

function done(answer: ColourAnswer | null): void {
  clearTimeout(patience)
  const told = asked
  asked = null
  told?.tell(answer)
  next()
}

function giveUp(): void {
  worker?.terminate()
  worker = null
  isReady = false
  // What waits while no worker can be loaded is not asked for in a circle: it stays plain.
  if (asked === null) for (const { tell } of waiting.splice(0)) tell(null)
  done(null)
}
