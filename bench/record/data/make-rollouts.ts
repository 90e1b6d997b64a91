import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../../common/random'
import { code, prose } from './words'

/** A day of 2026. */
const BEGIN = Date.UTC(2026, 5, 1)

/**
 * Makes a folder of Codex: conversations with prompts, thinking, calls with results of code, and what the CLI tells again of each for its
 * own screen.
 *
 * @returns the bytes that were written, and the lines that are events of the record
 */
export function makeRollouts(
  root: string,
  random: Random,
  { files, bytes }: { files: number; bytes: number },
): { files: number; bytes: number; events: number } {
  const folder = join(root, 'sessions/2026/06/01')
  mkdirSync(folder, { recursive: true })
  const total = { files: 0, bytes: 0, events: 0 }
  for (; total.files < files; total.files++) {
    const id = random.uuid()
    const { text, events } = rollout(id, random, (bytes - total.bytes) / (files - total.files))
    writeFileSync(join(folder, `rollout-2026-06-01T00-00-00-${id}.jsonl`), text)
    total.bytes += Buffer.byteLength(text)
    total.events += events
  }
  return total
}

function rollout(id: string, random: Random, bytes: number): { text: string; events: number } {
  let at = BEGIN
  let text = ''
  let events = 0
  let sum = 0
  const write = (type: string, payload: object): void => {
    text += `${JSON.stringify({ timestamp: new Date(at++).toISOString(), type, payload })}\n`
  }
  const item = (payload: object): void => {
    write('response_item', payload)
    events++
  }
  write('session_meta', {
    id,
    timestamp: new Date(at).toISOString(),
    cwd: '/home/user/project',
    cli_version: '0.169.0',
  })
  for (let turn = 0; text.length < bytes; turn++) {
    const prompt = prose(random, 300)
    write('turn_context', { turn_id: random.uuid(), cwd: '/home/user/project', model: 'gpt-5.2-codex' })
    item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: prompt }] })
    write('event_msg', { type: 'user_message', message: prompt })
    for (let step = 0; step < 8; step++) {
      const call_id = `call_${turn}_${step}`
      item({ type: 'reasoning', summary: [{ type: 'summary_text', text: prose(random, 400) }] })
      item({ type: 'function_call', name: 'exec_command', arguments: JSON.stringify({ cmd: 'make test' }), call_id })
      item({
        type: 'function_call_output',
        call_id,
        output: `Process exited with code 0\nOutput:\n${code(random, 9_000)}`,
      })
      sum += 1_000
      const usage = { input_tokens: sum, cached_input_tokens: 0, output_tokens: 20, total_tokens: sum + 20 }
      write('event_msg', { type: 'token_count', info: { last_token_usage: usage, total_token_usage: usage } })
    }
    const answer = prose(random, 600)
    item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: answer }] })
    write('event_msg', { type: 'agent_message', message: answer })
  }
  return { text, events }
}
