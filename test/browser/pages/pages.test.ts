/** One world with something of everything. To fill it costs more than most tests, so all that look at the whole of it do so in one file. */
import { afterAll, beforeAll, describe, setDefaultTimeout } from 'bun:test'
import { FIRST_START_MS } from '../page/chromium'
import { browserOfTests } from '../page/page'
import { type Everything, World } from '../world/world'
import { PATIENCE_MS } from '../world/world-ground'
import { lookTests } from './pages-looks'
import { hostileTests, worldTests } from './pages-world'

setDefaultTimeout(4 * PATIENCE_MS)

let world: World
let parts: Everything

beforeAll(
  async () => {
    await browserOfTests()
    world = await World.start()
    parts = await world.everything()
  },
  FIRST_START_MS + 4 * PATIENCE_MS,
)
afterAll(() => world?.stop(), PATIENCE_MS)

describe('the world', () =>
  worldTests(
    () => world,
    () => parts,
  ))
describe('every page', () =>
  lookTests(
    () => world,
    () => parts,
  ))
describe('the world with hostile texts', () => hostileTests(() => world))
