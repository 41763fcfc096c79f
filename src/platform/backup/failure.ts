// How checking a backup can end before anything was checked: the backup is at fault, or what the check needs is not there.

/** The backup cannot be put back: that is what the check finds. */
export class BackupBroken extends Error {}

/** The check itself cannot be made here, whatever the backup is like. */
export class CannotCheck extends Error {}
