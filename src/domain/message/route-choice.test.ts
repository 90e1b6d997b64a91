import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { chooseRoute, type ReceiverFacts, WAKE_MODES, whyWaiting } from './route-choice'

const process = {
  status: 'idle',
  hasSocket: true,
  permissionMode: 'default',
  isRewakeArmed: true,
  hasMod: false,
  hasHooks: true,
} as const
const bypass = { ...process, permissionMode: 'bypassPermissions' } as const
const facts = (more: Partial<ReceiverFacts> = {}): ReceiverFacts => ({
  isAwaited: false,
  process,
  clients: 0,
  onChildDone: 'hold',
  wake: 'all',
  ...more,
})

test.each([
  ['a call that waits comes first', facts({ isAwaited: true }), 'await'],
  ['the turn that is under way carries it at its end', facts({ process: { ...process, status: 'busy' } }), 'hook'],
  [
    'a busy one without hooks is told at its socket',
    facts({ process: { ...process, status: 'busy', hasHooks: false } }),
    'socket',
  ],
  ['an idle one is woken at its socket', facts(), 'socket'],
  ['or by the hook that waits', facts({ process: { ...process, hasSocket: false } }), 'rewake'],
  ['one of which no mode is known as well', facts({ process: { ...process, permissionMode: null } }), 'socket'],
  [
    'one that would ask about what its socket takes is woken by the hook that waits',
    facts({ process: bypass }),
    'rewake',
  ],
  ['with our mod it is woken in this mode too', facts({ process: { ...bypass, hasMod: true } }), 'rewake'],
  ['unless nothing may be woken', facts({ process: { ...bypass, hasMod: true }, wake: 'off' }), 'hook'],
  ['or told at its next prompt', facts({ process: { ...bypass, isRewakeArmed: false } }), 'hook'],
  ['or waits', facts({ process: { ...bypass, isRewakeArmed: false, hasHooks: false } }), null],
  ['or as it was chosen', facts({ wake: 'rewake' }), 'rewake'],
  ['nobody is woken where that is off: the next prompt carries it', facts({ wake: 'off' }), 'hook'],
  ['where nothing reaches it, it waits', facts({ wake: 'off', process: { ...process, hasHooks: false } }), null],
  [
    'who has ended is resumed when it asked for that',
    facts({ process: null, onChildDone: 'resume', clients: 1 }),
    'resume',
  ],
  ['or its client has it', facts({ process: null, clients: 1 }), 'client'],
  ['or it waits', facts({ process: null }), null],
] as const)('%s', (_, receiver, route) => {
  expect(chooseRoute(receiver, true)).toBe(route)
})

test('what is worth no turn wakes nobody and resumes nothing', () => {
  const status = fc.constantFrom('busy', 'idle', null)
  const some = fc.record({
    isAwaited: fc.boolean(),
    process: fc.option(
      fc.record({
        status,
        hasSocket: fc.boolean(),
        permissionMode: fc.constantFrom('default', 'bypassPermissions', null),
        isRewakeArmed: fc.boolean(),
        hasMod: fc.boolean(),
        hasHooks: fc.boolean(),
      }),
    ),
    clients: fc.nat(2),
    onChildDone: fc.constantFrom('resume', 'hold'),
    wake: fc.constantFrom(...WAKE_MODES),
  })
  fc.assert(
    fc.property(some, (receiver) => {
      expect(['await', 'hook', 'client', null]).toContain(chooseRoute(receiver, false))
      const off = chooseRoute({ ...receiver, wake: 'off' }, true)
      expect(['socket', 'rewake']).not.toContain(off as string)
    }),
  )
})

test.each([
  ['that its mode closes the socket', facts({ process: bypass, wake: 'socket' }), /bypassPermissions.*next prompt/],
  [
    'that nothing gives it anything',
    facts({ process: { ...bypass, hasHooks: false }, wake: 'socket' }),
    /bypass.*lode setup/,
  ],
  ['that the end of the turn brings it', facts({ process: { ...process, status: 'busy' } }), /^A hook .*turn ends/],
  ['that the next prompt brings it', facts({ process: { ...bypass }, wake: 'off' }), /^A hook .*next prompt/],
  ['that nobody is there', facts({ process: null }), /lode session resume x/],
  ['nothing where it is on its way', facts(), null],
] as const)('a message that waits says %s', (_, receiver, words) => {
  const said = whyWaiting(receiver, true, 'lode session resume x')
  if (words === null) expect(said).toBeNull()
  else expect(said).toMatch(words)
})
