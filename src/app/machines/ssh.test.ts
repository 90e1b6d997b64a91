import { expect, test } from 'bun:test'
import { checkDestination } from './ssh'

test('nothing that ssh, its settings or a shell could take for more than a name leads anywhere', () => {
  for (const good of ['host', 'ada@host', 'ada@10.0.0.1', 'ada_l@my-host.example', '::1', 'Host_1'])
    expect(checkDestination(good)).toBe(good)
  const bad = [
    '',
    '-oProxyCommand=x',
    'a@-oProxyCommand=x',
    '$(id)',
    'a b',
    'ada@host;id',
    'a@b@c',
    'host\n',
    'ssh://host',
    'a:22',
    '%h',
  ]
  for (const one of [...bad, `${'a'.repeat(300)}`]) expect(() => checkDestination(one)).toThrow('no machine')
})
