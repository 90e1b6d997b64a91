import { expect, test } from 'bun:test'
import { fakeIo } from './fake-io'
import { terminalStatus } from './terminal-status'

const globals = { isQuiet: false } as Parameters<typeof terminalStatus>[0]['globals']
const tell = (env: Record<string, string>, isErrTerminal = true) => {
  const io = Object.assign(fakeIo({ env }), { isErrTerminal })
  return { io, status: terminalStatus({ io, globals }) }
}

test('a terminal is told once of each state, and what an agent says is no command to it', () => {
  const { io, status } = tell({ TERM: 'xterm-256color' })
  status(null)
  status('working', 'Fix it')
  status('working', 'Fix it')
  status('blocked', 'Bash: rm\u001b]0;owned\u0007; ls')
  status(null)
  const esc = '\u001b'
  const text = 'Bash: rm; ls'
  expect(io.stderr).toContain(`${esc}]7501;state=working:app=lode:msg=${btoa('Fix it')}${esc}\\${esc}]9;4;3${esc}\\`)
  expect(io.stderr.split('state=working')).toHaveLength(2)
  expect(io.stderr).toContain(`state=blocked:kind=permission:app=lode:msg=`)
  expect(io.stderr).toEndWith(`${esc}]7501;state=clear:app=lode${esc}\\${esc}]9;4;0${esc}\\`)
  expect(io.stderr).not.toContain(`${esc}]0;`)
  expect(io.stderr).toContain('777;notify;lode;Bash: rm')
  expect(io.stderr).not.toContain(text)
})

test('nothing is told where it is no terminal, or where it is not wanted', () => {
  for (const [env, isTerminal] of [
    [{ TERM: 'xterm' }, false],
    [{ TERM: 'xterm', NO_COLOR: '1' }, true],
    [{ TERM: 'dumb' }, true],
    [{ TERM: 'linux' }, true],
    [{}, true],
  ] as const) {
    const { io, status } = tell(env, isTerminal)
    status('done', 'x')
    expect(io.stderr).toBe('')
  }
})
