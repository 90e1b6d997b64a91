import manifest from '../../package.json' with { type: 'json' }

/** Lodeline's version, as package.json says. */
export const VERSION: string = manifest.version
