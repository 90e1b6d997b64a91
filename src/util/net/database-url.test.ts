import { expect, test } from 'bun:test'
import { addressesOf, databaseLocation, hidePassword } from './database-url'

test('an address with several hosts is one address for each', () => {
  expect(addressesOf('postgres://u:p@one:5432,two,[::1]:6/d?x=1,2')).toEqual([
    'postgres://u:p@one:5432/d?x=1,2',
    'postgres://u:p@two/d?x=1,2',
    'postgres://u:p@[::1]:6/d?x=1,2',
  ])
  expect(addressesOf('postgresql://h/d')).toEqual(['postgresql://h/d'])
  expect(addressesOf('postgres:///d?host=/run/postgresql')).toEqual(['postgres:///d?host=/run/postgresql'])
  for (const wrong of [
    '',
    'mysql://h/d',
    'postgres://one,,two/d',
    'postgres://one:x,two/d',
    `postgres://${'h,'.repeat(30)}h/d`,
  ])
    expect([wrong, addressesOf(wrong)]).toEqual([wrong, null])
})

test('what is shown of an address has its hosts and never its password', () => {
  expect(databaseLocation('postgres://u:secret@one:1,two:2/d?password=secret')).toBe('one:1,two:2/d')
  const shown = hidePassword('postgres://u:secret@one:1,two:2/d?password=secret')
  expect(shown).toBe('postgres://u:***@one:1,two:2/d?password=***')
  expect(hidePassword('postgres://u:secret@one/d')).toBe('postgres://u:***@one/d')
  for (const wrong of ['postgres://u:secret@one:x/d', 'secret']) expect(hidePassword(wrong)).toBe('***')
})
