/** The variable that `lode` commands find the calling session in: hooks export it where the CLI itself names its session nowhere. */
export const SESSION_VARIABLE = 'LODELINE_SESSION_ID'
