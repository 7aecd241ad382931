# Runs inside of new user, mount and process namespaces: prepares a root folder and runs a command in it.
# enter-root.sh ROOT USER READ_ONLY COMMAND…; READ_ONLY is "", or the only folder that the command can write to.
# The emulator of arm64 is registered in this user namespace only, so the machine's own settings stay as they are.
set -eu
root=$1 user=$2 read_only=$3
shift 3
# PATH is that of the root folder.
inner_path=$PATH
PATH=/usr/sbin:/usr/bin:/sbin:/bin

mount --make-rprivate /
mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
# The heads of ELF files for aarch64. "F" opens the emulator now, as it does not exist in the root folder.
magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
if [ "$(uname -m)" != aarch64 ]; then
  printf '%s' ":qemu-aarch64:M::$magic:$mask:/usr/bin/qemu-aarch64-static:F" >/proc/sys/fs/binfmt_misc/register
fi

mkdir -p "$root/dev" "$root/proc" "$root/tmp"
for device in null zero full random urandom; do
  [ -e "$root/dev/$device" ] || touch "$root/dev/$device"
done
if [ -n "$read_only" ]; then
  mount --bind "$root" "$root"
  mount --bind "$root$read_only" "$root$read_only"
  mount -o remount,bind,ro "$root"
fi
for device in null zero full random urandom; do
  mount --bind "/dev/$device" "$root/dev/$device"
done
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/tmp"
chroot=$(command -v chroot)
PATH=$inner_path
exec "$chroot" --userspec="$user" "$root" "$@"
