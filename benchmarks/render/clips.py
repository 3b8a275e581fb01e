"""Render clips of short games with their truth: `python -m benchmarks.render.clips OUT`."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.render import looks, truth
from benchmarks.render.board import BoardStyle, Pose, field_corners, paint_board
from benchmarks.render.camera import Camera, make_camera, project
from benchmarks.render.director import Director, Moment
from benchmarks.render.hand import HandLook, HandPose, shadow_hulls, trace_hand
from benchmarks.render.light import shadow_at
from benchmarks.render.pieces import Placed, Sprite, trace_piece
from benchmarks.render.scene import (
    SHADE_PX,
    Picture,
    Scene,
    blend,
    cast,
    coarse_points,
    in_order,
    light_ground,
    see_ground,
    soften,
)
from benchmarks.render.sensor import (
    Developed,
    Sensor,
    develop,
    expose,
    line_kernel,
    metered,
    noise_field,
    record,
    sharpened,
)
from benchmarks.render.stills import SIZES, pixel_density
from benchmarks.render.story import ACCIDENTS, ILLEGAL, RARE, TAKEBACKS, Storyteller, signs_of
from benchmarks.render.textures import Image
from crownhead.rules.variant import start_position, variant_named

Floats = NDArray[np.float64]
Plane = NDArray[np.float32]
FPS = 12
SKINS = (
    (0.20, 0.30, 0.55),
    (0.28, 0.38, 0.62),
    (0.12, 0.20, 0.40),
    (0.05, 0.09, 0.20),
    (0.03, 0.05, 0.11),
)


class Studio:
    """Photographs moments; keeps what does not change from one to the next."""

    def __init__(
        self, scene: Scene, cameras: Sequence[Camera], sensor: Sensor, rng: np.random.Generator
    ) -> None:
        self.scene = scene
        self.cameras = cameras
        self.sensor = sensor
        self.rng = rng
        self._ground_key: tuple[int, Pose] | None = None
        self._still_key: int | None = None
        self._sprites: dict[int, tuple[Placed, Sprite | None]] = {}
        self._plain: tuple[object, Plane] | None = None
        self._gain = 1.0
        self._standing: tuple[Placed, ...] = ()
        shape = (cameras[0].height + 64, cameras[0].width + 64)
        fields = (noise_field(rng, sensor, shape) for _ in range(2))
        self._noise = [sharpened(sensor, field) for field in fields]
        self._developed: tuple[Plane, Developed] | None = None
        angle = rng.uniform(0, 2 * np.pi)
        self._walk = np.array([np.cos(angle), np.sin(angle)])
        self._walk_width = float(rng.uniform(0.4, 1.1)) * scene.style.half_outer

    def still(self, moment: Moment) -> Picture:
        """Return the picture of all that stands, without hands."""
        camera = self.cameras[moment.camera]
        key = (moment.camera, moment.pose)
        if key != self._ground_key:
            self.scene = replace(self.scene, pose=moment.pose)
            self._ground = see_ground(self.scene, camera)
            cover8 = np.zeros((camera.height, camera.width), np.uint8)
            cover8[self._ground.part] = self._ground.cover[..., 0] * 255
            _, self._points, _ = coarse_points(self.scene, camera, cover8)
            corners = project(camera, field_corners(self.scene.style, moment.pose))
            self._field = np.zeros((camera.height, camera.width), np.uint8)
            cv2.fillPoly(self._field, [np.round(corners).astype(np.int32)], 255)
            self._ground_key, self._still_key = key, None
            self._sprites = {}
            self._plain = None
        if self._still_key != id(moment.standing):
            self._standing = moment.standing  # kept, so that its id is not used again
            self._still_key = id(moment.standing)
            self._still = light_ground(self.scene, self._ground, moment.standing)
            for placed in in_order(camera, moment.standing):
                sprite = self._sprite(camera, placed)
                if sprite is not None:
                    blend(self._still, sprite)
            self._plain = None
        return self._still

    def _sprite(self, camera: Camera, placed: Placed) -> Sprite | None:
        known = self._sprites.get(id(placed))
        if known is None:
            known = (placed, trace_piece(camera, self.scene.lights, placed))
            self._sprites[id(placed)] = known
        return known[1]

    def meter(self, moment: Moment, target: float) -> None:
        """Set the exposure by a first picture."""
        still = self.still(moment)
        self.sensor = metered(self.sensor, still.total(), target)
        self._parts = (float(still.key.mean()), float(still.sky.mean()))

    def expose(self, moment: Moment, before: Moment | None) -> tuple[Plane, bool, bool]:
        """Return a picture before noise, and whether a hand is in it and over the field."""
        still = self.still(moment)
        by_key, by_sky = self._parts
        share = (moment.light[0] * by_key + moment.light[1] * by_sky) / (by_key + by_sky)
        wanted = float(share) ** -0.6
        self._gain = round(self._gain + 0.12 * (wanted - self._gain), 3)
        if abs(self._gain - wanted) < 0.01:
            self._gain = round(wanted, 3)
        sensor = replace(self.sensor, gain=self.sensor.gain * self._gain)
        empty = not moment.hands and not moment.held and moment.passer is None
        state = (self._still_key, moment.light, self._gain)
        if empty and self._plain is not None and self._plain[0] == state:
            return self._plain[1], False, False
        linear = still.sky * np.float32(moment.light[1])
        shadow = self._shadow(moment)
        if shadow is None:
            linear += still.key * np.float32(moment.light[0])
        else:
            linear += still.key * (np.float32(moment.light[0]) * (1 - shadow))[..., None]
        seen, over = self._foreground(linear, moment, before)
        exposed = expose(sensor, linear)
        if empty:
            self._plain = (state, exposed)
        return exposed, seen, over

    def _foreground(
        self, linear: Plane, moment: Moment, before: Moment | None
    ) -> tuple[bool, bool]:
        camera = self.cameras[moment.camera]
        smear = self._smear(camera, moment, before)
        sprites: list[tuple[Sprite, bool]] = []
        for placed in in_order(camera, moment.held):
            sprite = trace_piece(camera, self.scene.lights, placed)
            if sprite is not None:
                sprites.append((_smeared(sprite, smear[-1], camera) if smear else sprite, False))
        for index, pose in enumerate(moment.hands):
            motion = smear[index] if index < len(smear) else (0.0, 0.0)
            sprite = trace_hand(camera, self.scene.lights, pose, motion)
            if sprite is not None:
                sprites.append((sprite, True))
        seen = over = False
        for sprite, is_hand in sprites:
            high, wide = sprite.cover.shape[:2]
            part = np.s_[sprite.top : sprite.top + high, sprite.left : sprite.left + wide]
            canvas = linear[part]
            canvas *= 1 - sprite.cover[..., None]
            canvas += sprite.key * np.float32(moment.light[0])
            canvas += sprite.sky * np.float32(moment.light[1])
            if is_hand:
                solid = sprite.cover > 0.15
                seen |= int(solid.sum()) > 12
                over |= int((solid & (self._field[part] > 0)).sum()) > 12
        return seen, over

    def _smear(
        self, camera: Camera, moment: Moment, before: Moment | None
    ) -> list[tuple[float, float]]:
        moved = []
        for index, pose in enumerate(moment.hands):
            last = None
            if before is not None and index < len(before.hands):
                last = before.hands[index]
            if last is None or last.look is not pose.look:
                moved.append((0.0, 0.0))
                continue
            a, b = project(camera, np.stack([last.grip, pose.grip]))
            dx, dy = ((b - a) * 0.35).clip(-45, 45)
            moved.append((float(dx), float(dy)))
        return moved

    def _shadow(self, moment: Moment) -> Plane | None:
        """Return the share of key light that hands and passers take, for each pixel."""
        if not moment.hands and moment.passer is None:
            return None
        style, lights = self.scene.style, self.scene.lights
        reach = style.half_outer * 2.5
        hulls = [hull for pose in moment.hands for hull in shadow_hulls(pose)]
        height = np.mean([h[:, 2].mean() for h in hulls]) - style.thickness_cm if hulls else 1.0
        level = style.thickness_cm
        taken = soften(cast(lights, hulls, level, reach), reach, float(height) * lights.softness)
        if moment.passer is not None:
            axis = (np.arange(SHADE_PX, dtype=np.float32) + 0.5) / SHADE_PX * 2 * reach - reach
            along = axis[None, :] * self._walk[0] + axis[:, None] * self._walk[1]
            at = (moment.passer * 2 - 1) * reach * 1.6
            taken = np.maximum(taken, 0.65 * np.exp(-(((along - at) / self._walk_width) ** 4)))
        shaded = replace(lights, level=level, shade_map=taken.astype(np.float32), shade_reach=reach)
        left = shadow_at(shaded, self._points)
        assert left is not None
        camera = self.cameras[moment.camera]
        size = (camera.width, camera.height)
        return np.asarray(1 - cv2.resize(left, size, interpolation=cv2.INTER_LINEAR), np.float32)

    def record(self, exposed: Plane, waver: float) -> Image:
        """Return a frame with noise of its own."""
        if self._developed is None or self._developed[0] is not exposed:
            self._developed = (exposed, develop(self.sensor, exposed))
        height, width = exposed.shape[:2]
        field = self._noise[int(self.rng.integers(len(self._noise)))]
        y, x = (int(v) for v in self.rng.integers(0, 64, 2))
        noise = field[y : y + height, x : x + width]
        if self.rng.random() < 0.5:
            noise = noise[::-1]
        return record(self._developed[1], noise, waver)


def _smeared(sprite: Sprite, motion: tuple[float, float], camera: Camera) -> Sprite:
    """Return a small sprite smeared along its motion, with room for it."""
    length = float(np.hypot(*motion))
    if length < 2:
        return sprite
    pad = int(length / 2) + 2
    left, top = max(sprite.left - pad, 0), max(sprite.top - pad, 0)
    high, wide = sprite.cover.shape[:2]
    right = min(sprite.left + wide + pad, camera.width)
    bottom = min(sprite.top + high + pad, camera.height)
    kernel = line_kernel(length, float(np.arctan2(motion[1], motion[0])))
    border = (
        sprite.top - top,
        bottom - sprite.top - high,
        sprite.left - left,
        right - sprite.left - wide,
    )
    layers = (
        cv2.filter2D(
            cv2.copyMakeBorder(layer, *border, cv2.BORDER_CONSTANT, value=0),
            -1,
            kernel,
            borderType=cv2.BORDER_CONSTANT,
        )
        for layer in (sprite.key, sprite.sky, sprite.cover)
    )
    return Sprite(left, top, *layers)


class Film:
    """A video file being written: H.264 by ffmpeg where there is one, else MPEG-4 by OpenCV."""

    def __init__(
        self, path: Path, size: tuple[int, int], rate: int, preset: str = "veryfast"
    ) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._writer: cv2.VideoWriter | None = None
        program = shutil.which("ffmpeg")
        if program is not None:
            command = (
                f"{program} -loglevel error -y -f rawvideo -pix_fmt bgr24 -s {size[0]}x{size[1]} "
                f"-r {FPS} -i - -threads 1 -c:v libx264 -preset {preset} -crf {rate} "
                "-pix_fmt yuv420p"
            ).split()
            self._process = subprocess.Popen([*command, str(path)], stdin=subprocess.PIPE)
        else:
            code = cv2.VideoWriter.fourcc(*"mp4v")
            self._writer = cv2.VideoWriter(str(path), code, FPS, size)

    def __enter__(self) -> Film:
        return self

    def write(self, frame: Image) -> None:
        """Add a frame."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.write(np.ascontiguousarray(frame).tobytes())
        elif self._writer is not None:
            self._writer.write(frame)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            if self._process.wait() != 0 and error is None:
                raise OSError("ffmpeg could not write the clip")
        elif self._writer is not None:
            self._writer.release()


def bumped(rng: np.random.Generator, camera: Camera) -> list[Camera]:
    """Return a camera's stands while somebody knocks against it: before, shaking, after."""
    centre = camera.rotation[2] * 60 + camera.eye
    distance = 60.0
    level = np.array(
        [np.cos(np.radians(camera.azimuth_deg)), np.sin(np.radians(camera.azimuth_deg)), 0]
    )
    down = np.cross(camera.rotation[2], level)
    roll = float(np.degrees(np.arctan2(camera.rotation[0] @ down, camera.rotation[0] @ level)))
    view = np.array([camera.azimuth_deg, camera.elevation_deg, roll])
    size = (camera.width, camera.height)
    stands = [camera]
    lasting = rng.normal(0, 0.8, 3)
    shift = rng.normal(0, 0.7, 3)
    for share in (1.8, -0.6, 1.5, 0.8, 1.0):
        now = view + lasting * share
        now[1] = min(now[1], 89.9)
        stands.append(
            make_camera(
                size,
                camera.focal,
                (camera.k1, camera.k2),
                (float(now[0]), float(now[1]), float(now[2])),
                centre + shift * share,
                distance,
            )
        )
    return stands


def hand_look(rng: np.random.Generator) -> HandLook:
    """Return a random person's hand."""
    skin = np.array(SKINS[int(rng.integers(len(SKINS)))]) * np.exp(rng.normal(0, 0.1, 3))
    sleeve = (np.array(looks.any_colour(rng)) / 255) ** 2
    return HandLook(
        skin=(float(skin[0]), float(skin[1]), float(skin[2])),
        sleeve=(float(sleeve[0]), float(sleeve[1]), float(sleeve[2])),
        size=float(rng.uniform(0.85, 1.1)),
        thumb=float(rng.choice([1, 1, 1, -1])),
        sleeve_from=float(rng.choice([0.07, 0.16, 0.3, 0.7])),
        texture_seed=int(rng.integers(1 << 30)),
    )


def _is_fair(style: BoardStyle, pieces: looks.PieceSet) -> bool:
    """Tell whether a person could follow a game on such a set in a webcam's picture."""
    ground = style.dark if style.playing == "dark" else style.light
    tops = [np.sqrt(m.top.reshape(-1, 3).mean(axis=0)) * 255 for m in pieces.men]
    gaps = [looks.contrast(tuple(top), ground) for top in tops]
    thin = pieces.body.height < 0.12 * pieces.body.radius
    return min(gaps) > (45 if thin else 22) and looks.contrast(tuple(tops[0]), tuple(tops[1])) > 75


def make_story(
    seed: int,
    variant_name: str,
    plies: int,
    happenings: Sequence[tuple[str, str]],
    *,
    small: bool = False,
) -> tuple[Director, Scene, list[Camera], Sensor, np.random.Generator]:
    """Return a clip before it is photographed."""
    rng = np.random.default_rng([seed, 7])
    for _ in range(200):
        # Two clips of three show a set as most people have it.
        style = looks.board_style(rng, SIZES[variant_name], usual=seed % 3 != 2)
        pieces = looks.piece_set(rng, style, usual=seed % 3 != 2)
        if _is_fair(style, pieces):
            break
    size_px = ((640, 480), (960, 720))[0 if small else int(rng.integers(2))]
    for _ in range(50):
        camera = looks.camera(rng, style, size_px, (42, 90), (0.65, 0.88), 0.4)
        if camera.eye[2] > style.half_outer * 1.3:
            break
    scene = Scene(
        style,
        paint_board(rng, style, pixel_density(camera, style)),
        Pose(),
        looks.table(rng, style),
        looks.lights(rng, style),
        looks.boxes(rng, style),
    )
    sensor = looks.sensor(rng, size_px)
    sensor = replace(
        sensor,
        noise=min(sensor.noise, 5.0 / (1 + sensor.sharpen)),
        blur=min(sensor.blur, 1.0),
        shake=0.0,
        saturation=max(sensor.saturation, 0.6),
    )
    variant = variant_named(variant_name)
    start = start_position(variant)
    director = Director(
        rng=rng,
        style=style,
        pieces=pieces,
        hands={"w": hand_look(rng), "b": hand_look(rng)},
        out_of_sight=0.0,
        pace=float(rng.uniform(0.85, 1.25)),
        signs=signs_of(start),
        turn="W" if start.turn.value == "white" else "B",
    )
    director.out_of_sight = _out_of_sight(director, camera)
    director.set_up()
    Storyteller(director, variant).tell(plies, happenings)
    return director, scene, bumped(rng, camera), sensor, rng


def _out_of_sight(director: Director, camera: Camera) -> float:
    """Return how far from the board's middle both hands are out of the picture."""
    for distance in np.arange(director.style.half_outer + 14, 140, 4):
        director.out_of_sight = float(distance)
        poses: list[HandPose] = []
        for side in "wb":
            for x in (-12.0, 0.0, 12.0):
                director.hand = director.off_stage(side) * np.array([0, 1, 1]) + np.array([x, 0, 0])
                poses.append(director.hand_pose(side))
        director.hand = None
        hulls = np.vstack([hull for pose in poses for hull in shadow_hulls(pose)])
        depth = (hulls @ camera.rotation.T + camera.translation)[:, 2]
        points = project(camera, hulls)[depth > 8]
        inside = (points > -25) & (points < np.array([camera.width, camera.height]) + 25)
        if not inside.all(axis=1).any():
            return float(distance)
    return 140.0


def render_clip(
    folder: Path,
    name: str,
    seed: int,
    variant: str,
    plies: int,
    happenings: Sequence[tuple[str, str]],
    *,
    small: bool = False,
    preset: str = "veryfast",
) -> truth.Json:
    """Render one clip with its truth into a folder; return the truth."""
    director, scene, cameras, sensor, rng = make_story(
        seed, variant, plies, happenings, small=small
    )
    studio = Studio(scene, cameras, sensor, rng)
    moments = director.moments
    studio.meter(moments[0], float(0.24 * np.exp(rng.normal(0, 0.25))))
    repeat = int(rng.integers(2, 4))
    seen: list[int] = []
    over: list[int] = []
    corners: list[list[list[float]]] = []
    part = folder / f".{name}.part.mp4"
    shown = -1
    exposed, flags = None, (False, False)
    drift = float(rng.uniform(0, 0.008))
    with Film(
        part, (cameras[0].width, cameras[0].height), int(rng.integers(20, 28)), preset
    ) as film:
        for frame, moment in enumerate(moments):
            index = frame
            if moment.hands and frame % repeat and moments[shown].hands and shown >= 0:
                index = shown
            if index != shown or exposed is None:
                before = moments[shown] if shown >= 0 else None
                exposed, *rest = studio.expose(moments[index], before)
                flags = (rest[0], rest[1])
                shown = index
            film.write(studio.record(exposed, 1 + drift * float(np.sin(frame / 23.0))))
            seen.append(int(flags[0]))
            over.append(int(flags[1]))
            delivered = moments[index]
            corners.append(truth.corners(cameras[delivered.camera], scene.style, delivered.pose))
    facts: truth.Json = {
        "name": name,
        "rendered": True,
        "fps": FPS,
        "frames": len(moments),
        "width": cameras[0].width,
        "height": cameras[0].height,
        "variant": variant,
        **truth.describe(cameras[0], scene.style, Pose(), director.pieces),
        "start_fen": director.positions[0]["fen"],
        "positions": _with_clear(director.positions, seen),
        "moves": director.moves,
        "incidents": sorted(director.incidents, key=lambda i: int(str(i["start"]))),
        "corners": corners,
        "hand_visible": seen,
        "hand_over_board": over,
        "seed": seed,
    }
    text = folder / f".{name}.json.part"
    text.write_text(json.dumps(facts, separators=(",", ":")))
    text.replace(folder / f"{name}.json")
    part.replace(folder / f"{name}.mp4")
    return facts


def _with_clear(positions: list[dict[str, object]], seen: list[int]) -> list[dict[str, object]]:
    """Return the positions with the first and last frame that shows no hand, or null."""
    done = []
    for position in positions:
        first, last = int(str(position["start"])), int(str(position["end"]))
        free = [frame for frame in range(first, last + 1) if frame < len(seen) and not seen[frame]]
        done.append({**position, "clear": [free[0], free[-1]] if free else None})
    return done


def pick_happenings(rng: np.random.Generator, index: int, plies: int = 12) -> list[tuple[str, str]]:
    """Return what happens in the index-th clip, so that a dozen clips show every kind.

    A game of more than 20 plies has an accident for every eight of them and three illegal moves.
    """
    chosen = [(ACCIDENTS[(2 * index + k) % len(ACCIDENTS)], "") for k in range(2)]
    if index % 5 != 4:
        takeback = TAKEBACKS[(index + index // 3) % 3]
        chosen.append((ILLEGAL[index % len(ILLEGAL)], takeback))
    if rng.random() < 0.5:
        chosen.append(("hover", ""))
    if plies > 20:
        kinds = (*ACCIDENTS, *RARE)
        for kind in rng.choice(kinds, min(plies // 8, len(kinds)), replace=False):
            chosen.append((str(kind), ""))
        for sub in rng.choice(ILLEGAL, 2, replace=False):
            chosen.append((str(sub), str(rng.choice(TAKEBACKS))))
    return chosen


def parse_happening(text: str) -> tuple[str, str]:
    """Read `hover` or `wrong_square:proper`."""
    kind, _, takeback = text.partition(":")
    if kind in (*ACCIDENTS, *RARE) and not takeback:
        return kind, ""
    if kind in ILLEGAL and takeback in TAKEBACKS:
        return kind, takeback
    known = ", ".join((*ACCIDENTS, *RARE, *(f"{sub}:{TAKEBACKS[0]}" for sub in ILLEGAL)))
    raise argparse.ArgumentTypeError(f"{text!r} is not a happening; such are {known}")


def main(arguments: list[str] | None = None) -> None:
    """Render as many clips as asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="folder to write to")
    parser.add_argument("--count", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0, help="of the first; the next follow")
    parser.add_argument("--variant", choices=sorted(SIZES))
    parser.add_argument("--plies", type=int, default=12)
    parser.add_argument("--small", action="store_true", help="640x480 only, twice as fast")
    parser.add_argument("--preset", default="veryfast", help="of the H.264 encoder")
    parser.add_argument(
        "--happening",
        action="append",
        metavar="KIND[:TAKEBACK]",
        type=parse_happening,
        help="show this instead of the usual choice; may be given several times",
    )
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    cv2.setNumThreads(1)
    for seed in range(options.seed, options.seed + options.count):
        begun = time.perf_counter()
        rng = np.random.default_rng([seed, 3])
        names = ("english", "international", "russian", "brazilian")
        variant = options.variant or names[seed % 4]
        happenings = options.happening or pick_happenings(rng, seed, options.plies)
        name = f"clip_{seed:04d}_{variant}"
        facts = render_clip(
            options.out,
            name,
            seed,
            variant,
            options.plies,
            happenings,
            small=options.small,
            preset=options.preset,
        )
        spent = time.perf_counter() - begun
        print(f"{name}: {facts['frames']} frames in {spent:.0f} s, {happenings}", flush=True)


if __name__ == "__main__":
    main()
