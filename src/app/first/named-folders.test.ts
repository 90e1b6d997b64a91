import { expect, test } from 'bun:test'
import { valuesOf } from './named-folders'

const values = (text: string) => valuesOf(text, 'CODEX_HOME', '/home/me')

test('a folder is taken from an assignment, before a command, within an alias, and as fish sets it', () => {
  expect(values('export CODEX_HOME=~/.codex-a')).toEqual(['/home/me/.codex-a'])
  expect(values('CODEX_HOME="$HOME/b c" codex')).toEqual(['/home/me/b c'])
  expect(values(`alias cx='CODEX_HOME=\${HOME}/d codex'; CODEX_HOME=/e`)).toEqual(['/home/me/d', '/e'])
  expect(values('set -gx CODEX_HOME ~/f')).toEqual(['/home/me/f'])
  expect(values('CODEX_HOME=/a/../b')).toEqual(['/b'])
})

test('what only the shell could tell is left out, and so are comments, other variables and uses', () => {
  for (const text of [
    '# CODEX_HOME=/a',
    'CODEX_HOME=$OTHER/a',
    'CODEX_HOME=`pwd`',
    'CODEX_HOME=$(pwd)',
    'CODEX_HOME=relative',
    'MY_CODEX_HOME=/a',
    'cd $CODEX_HOME /tmp',
    'CODEX_HOME=/a/*',
    'CODEX_HOME=',
  ])
    expect(values(text)).toEqual([])
})
