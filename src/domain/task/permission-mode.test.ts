import { expect, test } from 'bun:test'
import { exceedsMode, PERMISSION_MODES } from './permission-mode'

test('each mode exceeds those before it and no other', () => {
  for (const [at, mode] of PERMISSION_MODES.entries())
    for (const [top, ceiling] of PERMISSION_MODES.entries())
      expect([mode, ceiling, exceedsMode(mode, ceiling)]).toEqual([mode, ceiling, at > top])
})

test.each(['manual', 'Default', 'default ', '', '__proto__'])(
  'nobody knows what %p lets through: it is above every ceiling',
  (mode) => {
    for (const ceiling of PERMISSION_MODES) expect(exceedsMode(mode, ceiling)).toBe(true)
  },
)
