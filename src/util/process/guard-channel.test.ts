import { expect, test } from 'bun:test'
import {
  encodeLimits,
  encodeMessage,
  type GuardMessage,
  limitsWord,
  openChannel,
  parseLimits,
  parseMessage,
  parseOrder,
} from './guard-channel'

test('messages come back as they were sent', () => {
  const messages: GuardMessage[] = [
    { is: 'started', pid: 12, startedAt: '34@56' },
    { is: 'started', pid: 12, startedAt: null },
    { is: 'failed', code: 'ENOENT', message: 'no such file' },
    { is: 'frozen', count: 5, at: 9_000 },
    { is: 'thawed', count: 0, at: 9_001 },
    { is: 'ended', exit: 7, signal: null, by: 'itself' },
    { is: 'ended', exit: null, signal: 'SIGKILL', by: 'deadline' },
    { is: 'ended', exit: null, signal: 'SIGKILL', by: 'worker' },
  ]
  for (const message of messages) {
    const line = encodeMessage(message)
    expect(line).toEndWith('\n')
    expect(parseMessage(line.trimEnd())).toEqual(message)
  }
})

test('lines that make no sense are none', () => {
  for (const line of ['', '{', 'null', '7', '"pid"', '{}', '[]', '{"pid":"7"}', '{"frozen":1}', 'kill'])
    expect(parseMessage(line)).toBe(null)
  for (const line of ['', '-1', '1.5', '1e9', '9999999999', 'SIGKILL', 'kill ', 'term', '{"kill":1}'])
    expect(parseOrder(line)).toBe(null)
  for (const line of ['renewed', 'renewed 1', 'renewed 1 -2', 'renewed 1 2 3', 'held 1,2', 'still 1 2', '15000'])
    expect(parseOrder(line)).toBe(null)
  expect(parseOrder('renewed 9000 12750')).toEqual({ is: 'renewed', freezeAt: 9_000, endAt: 12_750 })
  expect(parseOrder(encodeLimits('held', { freezeAt: 9.7, endAt: 12 }).trimEnd())).toEqual({
    is: 'held',
    freezeAt: 9,
    endAt: 12,
  })
  expect(parseLimits(limitsWord({ freezeAt: 9_000.5, endAt: 12_750 }))).toEqual({ freezeAt: 9_000, endAt: 12_750 })
  for (const word of ['', '1', '1,', '1,-2', '1 2', '1,2,3']) expect(parseLimits(word)).toBe(null)
  expect(parseOrder('SIGTERM')).toEqual({ is: 'signal', signal: 'SIGTERM' })
  expect(parseOrder('kill')).toEqual({ is: 'kill' })
})

test('a channel gives whole lines, survives one without measure, and tells its end once', async () => {
  const script = `printf 'on' >&3; read go <&3; printf 'e\\ntwo\\n' >&3; head -c 70000 /dev/zero | tr '\\0' x >&3
    printf 'rest\\nlast\\n' >&3`
  const child = Bun.spawn(['/bin/sh', '-c', script], { stdio: ['ignore', 'ignore', 'inherit', 'pipe'] })
  const lines: string[] = []
  let ends = 0
  const ended = new Promise<void>((resolve) => {
    void openChannel(
      child.stdio[3] as number,
      (line) => lines.push(line),
      () => {
        ends++
        resolve()
      },
    ).then((channel) => channel.write('go\n'))
  })
  await ended
  await child.exited
  expect(ends).toBe(1)
  expect(lines.slice(0, 2)).toEqual(['one', 'two'])
  expect(lines.at(-1)).toBe('last')
})
