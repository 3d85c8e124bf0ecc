"""Makes scans: pages as pictures, tilted, turned and noisy like those of a scanner or a phone."""

import io
import random
import zlib
from collections.abc import Callable, Sequence

import pypdfium2
from PIL import Image
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas


def pictures_of(pdf: bytes) -> list[Image.Image]:
    """Return the pages of a PDF as pictures, with 144 dots to the inch."""
    with pypdfium2.PdfDocument(pdf) as document:
        return [page.render(scale=2, grayscale=True).to_pil() for page in document]


def tilted(picture: Image.Image, degrees: float) -> Image.Image:
    """Turn a picture a little, on white."""
    return picture.rotate(degrees, resample=Image.Resampling.BICUBIC, fillcolor=255)


def noisy(picture: Image.Image) -> Image.Image:
    """Return a grey picture with speckles, saved as a small JPEG."""
    draw = random.Random(1)
    grey = picture.point([20 + level * 4 // 5 for level in range(256)])
    for _ in range(grey.width * grey.height // 4_000):
        grey.putpixel((draw.randrange(grey.width), draw.randrange(grey.height)), draw.choice((0, 255)))
    return Image.open(io.BytesIO(saved(grey, "JPEG", quality=60)))


def saved(picture: Image.Image, kind: str = "PNG", **how: object) -> bytes:
    """Return the picture's file."""
    made = io.BytesIO()
    picture.save(made, kind, **how)
    return made.getvalue()


def drawn(picture: Image.Image) -> Callable[[Canvas], None]:
    """Return a function that draws a picture into a page's upper left corner, with 144 dots to the inch."""
    width, height = picture.width / 2, picture.height / 2

    def draw(canvas: Canvas) -> None:
        canvas.drawImage(ImageReader(picture), 0, A4[1] - height, width, height)

    return draw


def scanned(pictures: Sequence[Image.Image | None]) -> bytes:
    """Return a PDF with a page of 144 dots to the inch for each picture; `None` is a blank page."""
    made = io.BytesIO()
    canvas = Canvas(made, pagesize=A4)
    for picture in pictures:
        size = A4 if picture is None else (picture.width / 2, picture.height / 2)
        canvas.setPageSize(size)
        if picture is not None:
            canvas.drawImage(ImageReader(picture), 0, 0, *size)
        canvas.showPage()
    canvas.save()
    return made.getvalue()


def huge_png(side: int) -> bytes:
    """Return a small file with a white picture of so many pixels in each direction, said in its head only."""
    head = side.to_bytes(4) * 2 + bytes([8, 0, 0, 0, 0])
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        len(body).to_bytes(4) + kind + body + zlib.crc32(kind + body).to_bytes(4)
        for kind, body in ((b"IHDR", head), (b"IDAT", zlib.compress(b"\xff" * 1_000_000)), (b"IEND", b""))
    )


def pdf_with_picture(side: int, *, pages: int = 1) -> bytes:
    """Return a PDF whose pages show a picture of so many pixels in each direction, of which 2,000 rows are there."""
    rows = zlib.compressobj()
    packed = b"".join(rows.compress(bytes(side)) for _ in range(2_000)) + rows.flush()
    picture = (
        f"/Type/XObject/Subtype/Image/Width {side}/Height {side}/BitsPerComponent 8/ColorSpace/DeviceGray"
        f"/Filter/FlateDecode/Length {len(packed)}"
    )
    drawing = b"q 595 0 0 842 0 0 cm /P Do Q"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[%s]/Count %d>>" % (b"3 0 R " * pages, pages),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</XObject<</P 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(drawing), drawing),
        b"<<%s>>stream\n%s\nendstream" % (picture.encode(), packed),
    ]
    return (
        b"%PDF-1.4\n"
        + b"".join(b"%d 0 obj%s\nendobj\n" % (number, one) for number, one in enumerate(objects, 1))
        + b"trailer<</Root 1 0 R>>\n%%EOF"
    )
