import { dirname } from 'node:path'
import type { HarnessHooks, HookEvent } from '../../../domain/harness/harness-hooks'
import { readHook } from './read-hook'

/** The hooks of Copilot CLI. */
export const copilotHooks: HarnessHooks = {
  read: readHook,
  // Tried with 1.0.102: a text of this length reaches the model whole.
  answerLimit: 9_900,
  // What a start's hook says stands before the whole conversation and in no transcript, and what one before a compaction says reaches nobody.
  late: { hasCompacted },
  answer,
  // No launch is read: sub-agents are tool calls, and no tool call waits for a hook.
  answerLaunch: () => '',
  processOf: () => null,
  arguments: readArguments,
  // The CLI names its session to the commands that it runs: COPILOT_AGENT_SESSION_ID.
  exportVariable() {},
  // <root>/session-state/<id>/events.jsonl
  rootOf: (transcript) => dirname(dirname(dirname(transcript))),
}

/** @see HarnessRun.startAnswer */
export const startAnswer = (text: string): string => answer({ kind: 'prompt' }, text)

function answer({ kind }: Pick<HookEvent, 'kind'>, text: string): string {
  const cut = text.slice(0, copilotHooks.answerLimit)
  if (cut === '') return ''
  return JSON.stringify(kind === 'turnEnd' ? { decision: 'block', reason: cut } : { additionalContext: cut })
}

/** The event of a compaction that was done. One that failed or was cancelled says `"success":false`. */
function hasCompacted(since: Uint8Array): boolean {
  return Buffer.from(since)
    .toString('utf8')
    .split('\n')
    .some((line) => line.includes('"session.compaction_complete"') && isDone(line))
}

function isDone(line: string): boolean {
  try {
    const event: unknown = JSON.parse(line)
    return (
      isRecord(event) &&
      event.type === 'session.compaction_complete' &&
      isRecord(event.data) &&
      event.data.success === true
    )
  } catch {
    return false
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const SESSION_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const RESUMES = /^(?:--resume|--session-id|-r)(?:=(.*))?$/

function readArguments(words: readonly string[]): ReturnType<HarnessHooks['arguments']> {
  const at = words.findIndex((word) => RESUMES.test(word))
  const id = at < 0 ? undefined : (RESUMES.exec(words[at] ?? '')?.[1] ?? words[at + 1])
  return {
    resumes: id !== undefined && SESSION_ID.test(id) ? id : null,
    isFork: false,
    isOneShot: words.some((word) => /^(?:-p|--prompt)(?:=|$)/.test(word)),
  }
}
